# Packets that queue: one job per network and routing; seeds and rates are tasks inside it.


rule simulate:
    input:
        lambda wildcards: packet_cell(wildcards).files,
        sources=lambda wildcards: sources("simulate", *packet_cell(wildcards).also_stages),
    output:
        directory(f"{FOLDER}/{{experiment}}/{{network}}/{{routing}}.zarr"),
    log:
        f"{FOLDER}/logs/{{experiment}}/{{network}}/{{routing}}.log",
    benchmark:
        f"{FOLDER}/benchmarks/{{experiment}}/{{network}}/{{routing}}.tsv"
    retries: 1
    conda:
        "../../environment.yml"
    threads: STUDY.threads
    resources:
        mem_mb=lambda wildcards, attempt: packet_cell(wildcards).megabytes * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
        # Where tasks run is no parameter of the result: a resource re-runs nothing.
        dask_scheduler=STUDY.scheduler,
    params:
        network=lambda wildcards: packet_cell(wildcards).network,
        routing=lambda wildcards: packet_cell(wildcards).routing,
        options=lambda wildcards: packet_cell(wildcards).options,
    shell:
        "obroute simulate {params.network:q} {params.routing:q} {params.options:q}"
        " --threads {threads} --scheduler {resources.dask_scheduler:q} --quiet --save {output:q}"
        " > {log:q} 2>&1"


rule gather_packets:
    input:
        lambda wildcards: PACKET_STORES[wildcards.experiment],
        sources=sources("gather"),
    output:
        directory(f"{FOLDER}/{{experiment}}.zarr"),
    log:
        f"{FOLDER}/logs/gather-{{experiment}}.log",
    conda:
        "../../environment.yml"
    params:
        study=STUDY.study,
        folder=lambda wildcards, output: str(Path(output[0]).with_suffix("")),
        cells=lambda wildcards: [f"{name}.zarr" for name in PACKET_CELLS[wildcards.experiment]],
    shell:
        "obroute gather {params.cells:q} --folder {params.folder:q} --study {params.study:q}"
        " --output {output:q} > {log:q} 2>&1"
