# One job per network, routing and kind of experiment; channels, samples, seeds and rates are tasks
# inside it. Then one job a kind that gathers its cells.


rule cell:
    input:
        lambda wildcards: inputs_of(cell_of(wildcards)),
    output:
        directory(f"{FOLDER}/{{section}}/{{network}}/{{routing}}.zarr"),
    log:
        f"{FOLDER}/logs/{{section}}/{{network}}/{{routing}}.log",
    priority: LONGEST_FIRST
    retries: 1
    conda:
        "../../environment.yml"
    threads: lambda wildcards: cell_of(wildcards).threads
    resources:
        mem_mb=lambda wildcards, attempt: cell_of(wildcards).megabytes * attempt,
        runtime=lambda wildcards, attempt: cell_of(wildcards).kind.minutes * attempt,
        # Where tasks run is no parameter of the result: a resource re-runs nothing.
        dask_scheduler=STUDY.scheduler,
    params:
        words=lambda wildcards: cell_of(wildcards).words,
        # A digest of the code that the result depends on: it re-runs a cell, and is not passed on.
        program=lambda wildcards: program_of(cell_of(wildcards)),
        # Not by `benchmark`, which sees the command, where a process that stands by does the job.
        usage=f"{FOLDER}/benchmarks/{{section}}/{{network}}/{{routing}}.tsv",
    message:
        "{wildcards.section}: {wildcards.routing} on {wildcards.network}"
    shell:
        "obroute {params.words:q} --threads {threads} --scheduler {resources.dask_scheduler:q}"
        " --quiet --save {output:q} --usage {params.usage:q} > {log:q} 2>&1"


rule gather:
    input:
        stores_of,
    output:
        directory(f"{FOLDER}/{{section}}.zarr"),
    log:
        f"{FOLDER}/logs/{{section}}.log",
    # Before the report, which waits for it, and tables and figures.
    priority: 2
    conda:
        "../../environment.yml"
    params:
        study=STUDY.study,
        folder=lambda wildcards, output: str(Path(output[0]).with_suffix("")),
        cells=lambda wildcards: [f"{name}.zarr" for name in SECTIONS[wildcards.section]],
        program=lambda wildcards: gathering_program(wildcards.section),
    message:
        "gather {wildcards.section}"
    shell:
        "obroute gather {params.cells:q} --folder {params.folder:q} --study {params.study:q}"
        " --output {output:q} > {log:q} 2>&1"
