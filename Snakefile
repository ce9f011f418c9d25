# The sweep: networks × routings → certified worst cases → one study store, tables, report.
# `snakemake --cores 8` runs config/config.yaml; see docs/how-to/sweep.md.


# A study given by --configfile stands alone: it is not merged over the default one.
if not workflow.overwrite_configfiles:

    configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/design.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/report.smk"


wildcard_constraints:
    network=r"[A-Za-z0-9.-]+",
    routing=r"[A-Za-z0-9.-]+",
    table="table1|trends|summary",
    figure="trends|pareto|steps|queues|stability|locality",
    experiment="simulations|stability",


rule all:
    default_target: True
    input:
        CELL_STORES,
        STUDY_STORE,
        DESIGN_STORES,
        DESIGNS_STORE,
        TRADE_OFF_STORES,
        GATHERED_PACKETS,
        TABLES,
        FIGURES,
        REPORT,
