#!/usr/bin/env python3
"""Check a proof that `obroute certificate` wrote: ``python check_proof.py proof.json``.

It needs Python 3.9 or later and nothing else; all numbers are whole numbers and fractions. What it
prints as proved follows from the file by what is checked below, however the file was made.

TABLE. Of one packet per cycle from source i to destination j, f(i, j, c) cross channel c: one
leaves i, one enters j, and what enters any other node leaves it (check_flows).

WORST CASE. Traffic t(i, j) >= 0 that sources can inject (its rows) and destinations eject (its
columns) loads c with the sum of t(i, j) f(i, j, c). If u, v >= 0 and u_i + v_j >= f(i, j, c), that
is at most the sum of inject_i u_i and eject_j v_j. Where some traffic loads c with just that,
nothing is worse for c (check_channel). A map of nodes and channels that keeps bandwidths,
terminals and table takes each channel to one of the same worst case (check_symmetry).

BEST ROUTING. Prices q(i, j, c) >= 0 that are, for each c, within charge_c times such traffic cost
a routing of worst-case load w at most the sum of charge_c bandwidth_c w. Let a hop of pair i, j
cost hop inject_i eject_j besides. No packet pays less than the cheapest path, so (check_bound)
sum charge_c bandwidth_c w + sum hop inject_i eject_j hops_ij >= sum of cheapest_ij over all pairs.
"""

import argparse
import heapq
import json
import math
import os
import re
import stat
import sys
from fractions import Fraction

FORMAT, MOST_DIGITS, MOST_BYTES, MOST_STEPS = "obroute proof 1", 4000, 2**28, 2 * 10**8


class Wrong(Exception):
    """What does not hold."""


def fields(thing, names):
    """Return the values of an object that has just these keys."""
    if type(thing) is not dict or sorted(thing) != sorted(names.split()):
        raise Wrong(f"expected an object with the keys {names}")
    return [thing[name] for name in names.split()]


def listed(thing, length=None):
    """Return a list, of that length."""
    if type(thing) is not list or length not in (None, len(thing)):
        raise Wrong(f"expected a list of {'any' if length is None else length} entries")
    return thing


def whole(value, below=math.inf, least=0):
    """Return a whole number."""
    if type(value) is not int or not least <= value < below:
        raise Wrong(f"expected a whole number, at least {least} and below {below}")
    return value


def digits(text):
    """Return the whole number that a text is."""
    if len(text) > MOST_DIGITS:
        raise Wrong(f"a number has more than {MOST_DIGITS} digits")
    return int(text)


def number(text):
    """Return the number, not negative, that a text such as "8/3" is."""
    if type(text) is not str or not re.fullmatch("[0-9]+(/[0-9]+)?", text):
        raise Wrong('expected a text such as "3" or "8/3"')
    return Fraction(*map(digits, text.split("/")))


def inexact(text):
    """Refuse what is no whole number."""
    raise Wrong(f"{text[:20]} is no whole number")


def once(pairs):
    """Return an object, no key of which comes twice."""
    if len(dict(pairs)) < len(pairs):
        raise Wrong("a key comes twice")
    return dict(pairs)


def parsed(text):
    """Return what a JSON text holds, every number of which must be a whole one."""
    rules = {"parse_int": digits, "parse_float": inexact, "parse_constant": inexact}
    return json.loads(text, object_pairs_hook=once, **rules)


def read(name, most):
    """Return the text of a file that is a regular one, and not too long."""
    if not stat.S_ISREG(os.stat(name).st_mode) or os.stat(name).st_size > most:
        raise Wrong(f"expected a regular file of at most {most} bytes (--bytes for more)")
    with open(name, encoding="utf-8") as file:
        return file.read()


class Network:
    """Channels (tail, head, bandwidth), sources and destinations (node, bandwidth).

    Bandwidths are whole numbers of one unit, one packet per cycle over `unit`.
    """

    def __init__(self, given):
        names = "nodes denominator channels sources destinations"
        nodes, unit, channels, *ends = fields(given, names)
        self.nodes, self.unit, self.leaving = whole(nodes), whole(unit, least=1), {}
        self.channels = [(whole(tail, nodes), whole(head, nodes), whole(bandwidth, least=1))
                         for tail, head, bandwidth in listed(channels)]
        self.ends = [[(whole(node, nodes), whole(bandwidth, least=1))
                      for node, bandwidth in listed(end)] for end in ends]
        for channel, (tail, head, _) in enumerate(self.channels):
            self.leaving.setdefault(tail, []).append((channel, head))
        if any(not end or len(dict(end)) < len(end) for end in self.ends):
            raise Wrong("network: no terminal, or one that comes twice")

    def nodes_of(self, i, j):
        """Return source and destination of a pair."""
        return self.ends[0][i][0], self.ends[1][j][0]

    def mass(self, i, j):
        """Return injection times ejection bandwidth of a pair, its weight in mean path lengths."""
        return self.ends[0][i][1] * self.ends[1][j][1]

    def by_pair(self, given):
        """Return what a table, a row a source and a column a destination, holds of each pair."""
        rows = [listed(row, len(self.ends[1])) for row in listed(given, len(self.ends[0]))]
        return {(i, j): listed(cell) for i, row in enumerate(rows) for j, cell in enumerate(row)}

    def amounts(self, given):
        """Return the amount of each pair on each channel that has one."""
        table = {}
        for pair, cell in self.by_pair(given).items():
            table[pair] = {whole(c, len(self.channels)): whole(n, least=1) for c, n in cell}
            if len(table[pair]) < len(cell):
                raise Wrong(f"pair {pair}: a channel comes twice")
        return table


def check_flows(net, given):
    """Return the unit of the table of flows, and the table."""
    unit, table = fields(given, "denominator of_pairs")
    flows = net.amounts(table)
    for pair, flow in flows.items():
        start, end = net.nodes_of(*pair)
        stays = {start: whole(unit, least=1), end: -unit} if start != end else {}
        for channel, amount in flow.items():
            tail, head, _ = net.channels[channel]
            stays[tail] = stays.get(tail, 0) - amount
            stays[head] = stays.get(head, 0) + amount
        if any(stays.values()):
            raise Wrong(f"flows: pair {pair} sends no unit of flow to its destination")
    return whole(unit, least=1), flows


def check_symmetry(net, flows, given):
    """Check that a map keeps network and table; return the image of each channel."""
    nodes, channels = fields(given, "nodes channels")
    for image, count in ((nodes, net.nodes), (channels, len(net.channels))):
        if len({whole(one, count) for one in listed(image, count)}) < count:
            raise Wrong("symmetries: a map that leads two to one")
    for channel, (tail, head, bandwidth) in enumerate(net.channels):
        if net.channels[channels[channel]] != (nodes[tail], nodes[head], bandwidth):
            raise Wrong(f"symmetries: channel {channel} is not carried to one like it")
    places = [{terminal: place for place, terminal in enumerate(end)} for end in net.ends]
    rows, columns = ([there.get((nodes[node], bandwidth)) for node, bandwidth in end]
                     for end, there in zip(net.ends, places))
    for (i, j), flow in flows.items():
        if flows.get((rows[i], columns[j])) != {channels[c]: n for c, n in flow.items()}:
            raise Wrong(f"symmetries: the flow of pair {i, j} is not carried to one of the table")
    return channels


def check_channel(net, unit, loads, given):
    """Check what proves the worst case of a channel; return it over the bandwidth."""
    names = "channel denominator traffic source_potentials destination_potentials"
    channel, scale, traffic, u, v = fields(given, names)
    left, load, bound = [[b * whole(scale, least=1) for _, b in end] for end in net.ends], 0, 0
    for i, j, amount in listed(traffic):
        left[0][whole(i, len(left[0]))] -= whole(amount) * net.unit
        left[1][whole(j, len(left[1]))] -= amount * net.unit
        load += amount * loads.get((i, j), 0)
    if min(left[0] + left[1]) < 0:
        raise Wrong(f"channel {channel}: a terminal cannot send or receive so much")
    for values, end in ((u, net.ends[0]), (v, net.ends[1])):
        bound += sum(whole(value) * b for value, (_, b) in zip(listed(values, len(end)), end))
    for (i, j), amount in loads.items():
        if (u[i] + v[j]) * unit < amount * scale:
            raise Wrong(f"channel {channel}: the potentials of pair {i, j} are below its flow")
    if load * net.unit != bound * unit:
        raise Wrong(f"channel {channel}: its traffic does not load it with what bounds its load")
    return Fraction(load * net.unit, unit * scale * net.channels[channel][2])


def worst_case(net, unit, flows, symmetries, proofs):
    """Return the largest load over bandwidth that any traffic puts on any channel."""
    loads, worst, seen = [{} for _ in net.channels], Fraction(0), set()
    for pair, flow in flows.items():
        for channel, amount in flow.items():
            loads[channel][pair] = amount
    images = [check_symmetry(net, flows, given) for given in listed(symmetries)]
    for given in listed(proofs):
        channel = whole(given["channel"], len(loads))
        if channel in seen:
            raise Wrong(f"channels: {channel} comes twice")
        seen.add(channel)
        worst = max(worst, check_channel(net, unit, loads[channel], given))
    reached = list(seen)
    for channel in reached:  # which grows as images are reached
        new = {image[channel] for image in images} - seen
        seen |= new
        reached.extend(new)
    if len(seen) < len(loads):
        raise Wrong("channels: one is neither proved nor the image of one that is")
    return worst


def cheapest(net, start, end, prices, hop, shortest):
    """Return hops (0 unless only shortest paths count) and price of the cheapest path."""
    best, waiting = {start: (0, 0)}, [(0, 0, start)]
    while waiting:
        hops, price, node = heapq.heappop(waiting)
        if node == end:
            return hops, price
        for channel, head in net.leaving.get(node, ()) if (hops, price) == best[node] else ():
            there = hops + shortest, price + hop + prices.get(channel, 0)
            if head not in best or there < best[head]:
                best[head] = there
                heapq.heappush(waiting, (*there, head))
    raise Wrong(f"no path leads from node {start} to node {end}")


def check_paths(net, unit, flows, path_set):
    """Check that the flows take paths of the set; return those of each pair if they are listed."""
    if path_set == "all":
        return None
    paths = None if path_set == "shortest" else net.by_pair(path_set)
    for pair, flow in flows.items():
        (start, end), added = net.nodes_of(*pair), {}
        if paths is None:
            if sum(flow.values()) != unit * cheapest(net, start, end, {}, 0, True)[0]:
                raise Wrong(f"path_set: pair {pair} takes paths that are not shortest")
            continue
        for amount, path in paths[pair]:
            node = start
            for channel in listed(path):
                tail, head, _ = net.channels[whole(channel, len(net.channels))]
                added[channel] = added.get(channel, 0) + whole(amount)
                node = head if tail == node else None
            if node != end:
                raise Wrong(f"path_set: a path of pair {pair} does not lead there")
        if {channel: amount for channel, amount in added.items() if amount} != flow:
            raise Wrong(f"path_set: the flow of pair {pair} is not the sum of its paths")
    return paths


def check_bound(net, path_set, paths, given):
    """Check a bound for every routing over the paths; return it in words."""
    names = "least load mean_path_length charges hop prices"
    least, load, length, charges, hop, prices = fields(given, names)
    table, spent, total, charge = net.amounts(prices), {}, 0, 0
    for one, (_, _, bandwidth) in zip(listed(charges, len(net.channels)), net.channels):
        charge += whole(one) * bandwidth * net.unit
    for (i, j), tolls in table.items():
        for channel, price in tolls.items():
            for terminal in ((0, i, channel), (1, j, channel)):
                spent[terminal] = spent.get(terminal, 0) + price * net.unit
    for (side, place, channel), price in spent.items():
        if price > charges[channel] * net.ends[side][place][1]:
            raise Wrong(f"bounds: the prices of channel {channel} are more than its charge allows")
    for pair, tolls in table.items():  # all costs are times unit * unit, for whole numbers
        (start, end), a_hop = net.nodes_of(*pair), whole(hop) * net.mass(*pair)
        tolls = {channel: price * net.unit**2 for channel, price in tolls.items()}
        if paths is None:
            total += cheapest(net, start, end, tolls, a_hop, path_set == "shortest")[1]
        elif start != end:
            total += min(sum(a_hop + tolls.get(c, 0) for c in path) for _, path in paths[pair])
    costs = {"load": charge, "mean_path_length": hop * sum(net.mass(*pair) for pair in table)}
    values = {"load": load, "mean_path_length": length}
    paid = sum(costs[name] * number(values[name]) for name in costs if costs[name])
    said = [name for name in costs if values[name] is not None]
    if paid > total or not costs[least] or said != [name for name in costs if costs[name]]:
        raise Wrong(f"bounds: the prices do not prove the bound of {least}")
    over = {"all": "", "shortest": " over shortest paths"}.get(str(path_set), " over listed paths")
    words = [f"a {name.replace('load', 'worst-case load').replace('_', ' ')}"
             f" {'below' if name == least else 'of at most'} {values[name]}"
             for name in sorted(costs, key=least.__ne__) if costs[name]]
    return f"no routing{over} has {' and '.join(words)}"


def check(proof, steps=MOST_STEPS):
    """Return what a proof proves, in sentences."""
    if type(proof) is not dict or proof.get("format") != FORMAT:
        raise Wrong(f'expected an object whose "format" is "{FORMAT}"')
    names = "claims network flows symmetries channels path_set bounds format unverified"
    claims, network, flows, symmetries, proofs, path_set, bounds, *_ = fields(proof, names)
    claimed = [number(text) for text in fields(claims, "worst_case_load mean_path_length")]
    net = Network(network)
    unit, flows = check_flows(net, flows)
    entries = sum(map(len, flows.values()))
    searches = len(flows) * (len(bounds) + (path_set == "shortest"))
    work = entries * (2 + len(symmetries)) + searches * len(net.channels)
    if len(bounds) > 2:
        raise Wrong("bounds: expected one of the load, one of the path length, or less")
    if work > steps:
        raise Wrong(f"about {work} steps are more than {steps}; give --steps to do more")
    worst = worst_case(net, unit, flows, symmetries, proofs)
    hops = sum(net.mass(*pair) * sum(flow.values()) for pair, flow in flows.items())
    mean = Fraction(hops, unit * sum(net.mass(*pair) for pair in flows))
    if claimed != [worst, mean]:
        raise Wrong(f"claims: the worst-case load is {worst}, the mean path length {mean} hops")
    paths = check_paths(net, unit, flows, path_set)
    return [
        f"the worst-case load of this table of flows is {worst}: no traffic that the terminals can"
        f" send loads any of the {len(net.channels)} channels with more packets per cycle over its"
        " bandwidth, and some traffic loads one with just as many",
        f"its mean path length under uniform traffic is {mean} hops",
        *(check_bound(net, path_set, paths, given) for given in listed(bounds)),
    ]


def main():
    """Check the proof in the file that is named; status 0 where it holds, 1 where it does not."""
    parser = argparse.ArgumentParser(description="Check a proof that obroute certificate wrote.")
    parser.add_argument("proof", help="the file")
    parser.add_argument("--bytes", type=int, default=MOST_BYTES, help="most bytes (%(default)s)")
    parser.add_argument("--steps", type=int, default=MOST_STEPS, help="most steps (%(default)s)")
    given = parser.parse_args()
    try:
        proof = parsed(read(given.proof, given.bytes))
        lines = ["proved: " + sentence for sentence in check(proof, given.steps)]
        lines += ["not checked, for people only: " + json.dumps(proof["unverified"])[:200]]
    except Wrong as error:
        lines = [f"wrong: {error}"]
    except Exception as error:  # whatever else a malformed file leads to
        lines = [f"wrong: the file is malformed: {type(error).__name__}: {error}"]
    for line in lines:
        print(ascii(" ".join(line.split()))[1:1001].rstrip("'"))
    return 1 if lines[0].startswith("wrong") else 0


if __name__ == "__main__":
    sys.exit(main())
