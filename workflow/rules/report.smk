# From the study store to what a person reads.


rule table:
    input:
        study=STUDY_STORE,
        sources=sources("tables"),
    output:
        report(
            f"{FOLDER}/tables/{{table}}.csv",
            caption="../report/tables.rst",
            category="Tables",
            labels={"table": "{table}"},
        ),
    log:
        f"{FOLDER}/logs/tables/{{table}}.log",
    conda:
        "../../environment.yml"
    params:
        options=lambda wildcards: (
            ["--network", STUDY.report.table1_network] if wildcards.table == "table1" else []
        ),
    shell:
        "obroute table {wildcards.table} {input.study:q} {params.options:q} --output {output:q}"
        " > {log:q} 2>&1"


rule papers_table:
    input:
        CELL_STORES,
        study=STUDY_STORE,
        designs=DESIGNS_STORE,
        trade_offs=TRADE_OFF_STORES,
        sources=sources("papers"),
    output:
        report(
            f"{FOLDER}/tables/papers.csv",
            caption="../report/papers.rst",
            category="Tables",
            labels={"table": "papers"},
        ),
    log:
        f"{FOLDER}/logs/tables/papers.log",
    conda:
        "../../environment.yml"
    params:
        folder=lambda wildcards, input: str(Path(input.study).parent / "cells"),
        designed=designed,
    shell:
        "obroute table papers {input.study:q} {params.designed:q} --cells {params.folder:q}"
        " --output {output:q} > {log:q} 2>&1"


rule figure:
    input:
        study=figure_store,
        sources=sources("figures"),
    output:
        report(
            f"{FOLDER}/figures/{{figure}}.svg",
            caption="../report/figures.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
    log:
        f"{FOLDER}/logs/figures/{{figure}}.log",
    conda:
        "../../environment.yml"
    params:
        options=lambda wildcards: (
            ["--network", STUDY.report.pareto_network] if wildcards.figure == "pareto" else []
        ),
    shell:
        "obroute figure {wildcards.figure} {input.study:q} {params.options:q} --output {output:q}"
        " > {log:q} 2>&1"


rule report:
    input:
        CELL_STORES,
        study=STUDY_STORE,
        packets=GATHERED_PACKETS,
        designs=DESIGNS_STORE,
        trade_offs=TRADE_OFF_STORES,
        sources=sources("report"),
    output:
        report(REPORT, caption="../report/report.rst", category="Report"),
    log:
        f"{FOLDER}/logs/report.log",
    conda:
        "../../environment.yml"
    params:
        folder=lambda wildcards, input: str(Path(input.study).parent / "cells"),
        title=STUDY.report.title,
        packets=lambda wildcards, input: [
            part for store in input.packets for part in ("--packets", store)
        ],
        designed=designed,
    shell:
        "obroute report {input.study:q} --cells {params.folder:q} --title {params.title:q}"
        " {params.packets:q} {params.designed:q}"
        " --output {output:q} > {log:q} 2>&1"
