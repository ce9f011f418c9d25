# Routings that are designed: one job per network and design. A design is a store that the rule
# `evaluate` takes as the routing it is.


rule design:
    input:
        lambda wildcards: design_cell(wildcards).files,
        sources=sources("design"),
    output:
        directory(f"{DESIGN_FOLDER}/{{network}}/{{routing}}.zarr"),
    log:
        f"{FOLDER}/logs/designs/{{network}}/{{routing}}.log",
    benchmark:
        f"{FOLDER}/benchmarks/designs/{{network}}/{{routing}}.tsv"
    retries: 1
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda wildcards, attempt: design_cell(wildcards).megabytes * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        network=lambda wildcards: design_cell(wildcards).network,
        options=lambda wildcards: design_cell(wildcards).options,
    shell:
        "obroute design {params.network:q} {params.options:q} --save {output:q} > {log:q} 2>&1"


rule gather_designs:
    input:
        DESIGN_STORES,
        sources=sources("gather"),
    output:
        directory(f"{FOLDER}/designs.zarr"),
    log:
        f"{FOLDER}/logs/gather-designs.log",
    conda:
        "../../environment.yml"
    params:
        study=STUDY.study,
        folder=lambda wildcards, output: str(Path(output[0]).with_suffix("")),
        cells=[f"{name}.zarr" for name in DESIGN_CELLS],
    shell:
        "obroute gather {params.cells:q} --folder {params.folder:q} --study {params.study:q}"
        " --output {output:q} > {log:q} 2>&1"


rule trade_off:
    input:
        lambda wildcards: trade_off_cell(wildcards).files,
        sources=sources("design"),
    output:
        directory(f"{FOLDER}/trade_offs/{{network}}/{{routing}}.zarr"),
    log:
        f"{FOLDER}/logs/trade_offs/{{network}}/{{routing}}.log",
    benchmark:
        f"{FOLDER}/benchmarks/trade_offs/{{network}}/{{routing}}.tsv"
    retries: 1
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda wildcards, attempt: trade_off_cell(wildcards).megabytes * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        network=lambda wildcards: trade_off_cell(wildcards).network,
        options=lambda wildcards: trade_off_cell(wildcards).options,
    shell:
        "obroute pareto {params.network:q} {params.options:q} --save {output:q} > {log:q} 2>&1"


rule trade_off_figure:
    input:
        trade_off=f"{FOLDER}/trade_offs/{{network}}/{{routing}}.zarr",
        study=STUDY_STORE,
        sources=sources("figures"),
    output:
        report(
            f"{FOLDER}/figures/trade_offs/{{network}}/{{routing}}.svg",
            caption="../report/trade_offs.rst",
            category="Trade-offs",
            labels={"network": "{network}", "design": "{routing}"},
        ),
    log:
        f"{FOLDER}/logs/figures/trade_offs/{{network}}/{{routing}}.log",
    conda:
        "../../environment.yml"
    shell:
        "obroute figure trade_off {input.trade_off:q} --study {input.study:q} --output {output:q}"
        " > {log:q} 2>&1"


rule designs_table:
    input:
        designs=DESIGNS_STORE,
        sources=sources("tables"),
    output:
        report(
            f"{FOLDER}/tables/designs.csv",
            caption="../report/designs.rst",
            category="Tables",
            labels={"table": "designs"},
        ),
    log:
        f"{FOLDER}/logs/tables/designs.log",
    conda:
        "../../environment.yml"
    shell:
        "obroute table designs {input.designs:q} --output {output:q} > {log:q} 2>&1"
