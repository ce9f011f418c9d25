# From the gathered stores to what a person reads.


rule table:
    input:
        lambda wildcards: sources_of(TABLES_WANTED[wildcards.table]),
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
        folder=lambda wildcards, input: str(Path(input[0]).parent),
        words=lambda wildcards: list(TABLES_WANTED[wildcards.table].words),
        program=lambda wildcards: program(TABLES_WANTED[wildcards.table].modules),
    message:
        "table {wildcards.table}"
    shell:
        "obroute table {params.words:q} {params.folder:q} --output {output:q} > {log:q} 2>&1"


rule figure:
    input:
        lambda wildcards: sources_of(FIGURES_WANTED[wildcards.figure]),
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
        folder=lambda wildcards, input: str(Path(input[0]).parent),
        words=lambda wildcards: list(FIGURES_WANTED[wildcards.figure].words),
        program=lambda wildcards: program(FIGURES_WANTED[wildcards.figure].modules),
    message:
        "figure {wildcards.figure}"
    shell:
        "obroute figure {params.words:q} {params.folder:q} --say-why --output {output:q} > {log:q} 2>&1"


rule report:
    input:
        CELL_STORES,
        gathered=GATHERED_STORES,
    output:
        report(REPORT, caption="../report/report.rst", category="Report"),
    log:
        f"{FOLDER}/logs/report.log",
    # Before tables and figures, which are short and can be made beside it.
    priority: 1
    conda:
        "../../environment.yml"
    params:
        folder=lambda wildcards, input: str(Path(input.gathered[0]).parent),
        title=lambda wildcards: STUDY.report.title,
        # A function, as a name may hold {k}, which is no wildcard; as read, however it was written.
        configuration=lambda wildcards: STUDY.model_dump_json(exclude_unset=True, exclude=UNTOLD),
        program=program(report_modules()),
    message:
        "report {output}"
    shell:
        "obroute report {params.folder:q} --title {params.title:q} --output {output:q}"
        " --configuration {params.configuration:q} > {log:q} 2>&1"
