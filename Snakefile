# The sweep: networks × routings → certified worst cases → gathered stores, tables, report.
# `snakemake --cores 8` runs config/config.yaml; see docs/how-to/sweep.md.


# A study given by --configfile stands alone: it is not merged over the default one.
if not workflow.overwrite_configfiles:

    configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/cells.smk"
include: "workflow/rules/report.smk"


wildcard_constraints:
    section=one_of(SECTIONS),
    table=one_of(TABLES_WANTED),
    figure=one_of(FIGURES_WANTED),
    network=FILE_NAME,
    routing=FILE_NAME,


# What runs on this machine is forked from one process that has loaded the program.
onstart:
    stand_by_for(workflow)


rule all:
    default_target: True
    input:
        CELL_STORES,
        GATHERED_STORES,
        TABLES,
        FIGURES,
        REPORT,
    message:
        "the whole study"
