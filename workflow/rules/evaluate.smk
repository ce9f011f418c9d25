# One job per network and routing; focus channels and samples are tasks inside it.


rule evaluate:
    input:
        lambda wildcards: cell(wildcards).files,
        sources=lambda wildcards: sources("evaluate", *cell(wildcards).also_stages),
    output:
        directory(f"{CELL_FOLDER}/{{network}}/{{routing}}.zarr"),
    log:
        f"{FOLDER}/logs/evaluate/{{network}}/{{routing}}.log",
    benchmark:
        f"{FOLDER}/benchmarks/{{network}}/{{routing}}.tsv"
    retries: 1
    conda:
        "../../environment.yml"
    threads: STUDY.threads
    resources:
        mem_mb=lambda wildcards, attempt: cell(wildcards).megabytes * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
        # Where tasks run is no parameter of the result: a resource re-runs nothing.
        dask_scheduler=STUDY.scheduler,
    params:
        network=lambda wildcards: cell(wildcards).network,
        routing=lambda wildcards: cell(wildcards).routing,
        options=lambda wildcards: cell(wildcards).options,
    shell:
        "obroute evaluate {params.network:q} {params.routing:q} {params.options:q}"
        " --threads {threads} --scheduler {resources.dask_scheduler:q} --quiet --save {output:q}"
        " > {log:q} 2>&1"


rule gather:
    input:
        CELL_STORES,
        sources=sources("gather"),
    output:
        directory(STUDY_STORE),
    log:
        f"{FOLDER}/logs/gather.log",
    conda:
        "../../environment.yml"
    params:
        study=STUDY.study,
        folder=lambda wildcards, output: str(Path(output[0]).parent / "cells"),
        cells=[f"{name}.zarr" for name in CELLS],
    shell:
        "obroute gather {params.cells:q} --folder {params.folder:q} --study {params.study:q}"
        " --output {output:q} > {log:q} 2>&1"
