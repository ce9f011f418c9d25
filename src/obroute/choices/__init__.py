"""What can be chosen, and what holds where nobody chooses: a module a subject.

Settings of experiments and the functions that they lead to have both from here, so that each is
said once. Settings load with every command, and these modules import nothing that takes long.
"""
