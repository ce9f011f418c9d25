"""The commands that run experiments, made from what each kind says of itself."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from obroute import machine
from obroute.choices.execution import SCHEDULER
from obroute.cli.arguments import NetworkName, RoutingName
from obroute.cli.output import (
    Json,
    NoMemoryCheck,
    Quiet,
    Scheduler,
    Threads,
    print_json,
    print_shown,
    tell_what_was_read,
    tell_what_will_be_read,
    with_parameters,
)
from obroute.kinds.answers import Output
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import kinds
from obroute.kinds.requirements import Requirement
from obroute.kinds.settings import Option, is_flag, is_list, plain_type
from obroute.specs import InputError

_SAVE = Annotated[Path | None, typer.Option("--save", help="Write a store (zarr) here.")]
_WHOLE = Annotated[
    bool, typer.Option("--whole", help="Print what is long too, such as the whole worst traffic.")
]
_USAGE = Annotated[
    Path | None,
    typer.Option(help="Write processor seconds and peak memory here (.tsv).", metavar="FILE"),
]
_REQUIRE = Annotated[
    list[str] | None,
    typer.Option(
        help="End with status 1 unless this holds of the answer, exactly: 'throughput >= 1/2'; "
        "may be repeated.",
        metavar="CONDITION",
    ),
]
_COMMON: dict[str, tuple[Any, Any]] = {
    "save": (_SAVE, None),
    "usage": (_USAGE, None),
    "require": (_REQUIRE, None),
    "no_memory_check": (NoMemoryCheck, False),
    "scheduler": (Scheduler, SCHEDULER),
    "threads": (Threads, None),
    "whole": (_WHOLE, False),
    "as_json": (Json, False),
    "quiet": (Quiet, False),
}


def add_to(app: typer.Typer) -> None:
    """Add a command for every kind, or for several kinds that share one."""
    commands: dict[str, list[Experiment[Any, Any]]] = {}
    for kind in kinds().values():
        commands.setdefault(kind.command, []).append(kind)
    for name, sharing in sorted(commands.items()):
        app.command(name, help=sharing[0].purpose)(_command(sharing))


def _command(sharing: Sequence[Experiment[Any, Any]]) -> Callable[..., None]:
    """Return a command with the options of the kinds that share it, and of all."""
    usual = next(kind for kind in sharing if kind.is_usual)
    fields = {
        name: (info, option)
        for kind in sharing
        for name, (info, option) in kind.settings.fields().items()
    }
    outputs = {output.word: output for kind in sharing for output in kind.outputs()}

    def run(context: typer.Context, **values: Any) -> None:
        given = {name: values[name] for name in fields if _is_given(context, name, values[name])}
        common = {name: values[name] for name in _COMMON}
        kind = next((k for k in sharing if k is not usual and k.is_meant(given)), usual)
        files = {
            output: values[_parameter(output.word)]
            for output in outputs.values()
            if values[_parameter(output.word)] is not None
        }
        _check_options(kind, given, fields)
        _check_outputs(kind, files)
        run_command(kind, values["network"], values.get("routing"), given, files, **common)

    parameters: list[tuple[str, Any, Any]] = [
        ("context", typer.Context, inspect.Parameter.empty),
        ("network", NetworkName, inspect.Parameter.empty),
    ]
    arguments = [name for name, (_, option) in fields.items() if option.argument]
    parameters += [(name, *_argument(fields[name][0])) for name in arguments]
    if sharing[0].takes_routing:
        usual_routing = sharing[0].usual_routing or inspect.Parameter.empty
        parameters.append(("routing", RoutingName, usual_routing))
    parameters += [
        (name, *_option(info, option))
        for name, (info, option) in fields.items()
        if name not in arguments
    ]
    parameters += [
        (
            _parameter(output.word),
            Annotated[Path | None, typer.Option(output.word, help=output.meaning, metavar="FILE")],
            None,
        )
        for output in outputs.values()
    ]
    parameters += [(name, annotation, default) for name, (annotation, default) in _COMMON.items()]
    run.__doc__ = sharing[0].purpose
    return with_parameters(run, parameters)


def _is_given(context: typer.Context, name: str, value: Any) -> bool:
    """Say whether an option was given, and is not at the default that stands in its help."""
    source = context.get_parameter_source(name)
    return value is not None and source is not None and source.name != "DEFAULT"


def _parameter(word: str) -> str:
    return word.lstrip("-").replace("-", "_")


def _argument(info: Any) -> tuple[Any, Any]:
    """Return the annotation and the default of a setting that stands without a word."""
    plain, argument = plain_type(info), typer.Argument(help=info.description)
    if is_list(info):
        return Annotated[list[get_args(plain)[0]] | None, argument], None  # type: ignore[misc]
    return Annotated[plain, argument], inspect.Parameter.empty


def _option(info: Any, option: Option) -> tuple[Any, Any]:
    """Return the annotation and the default of the option of a setting."""
    plain = plain_type(info)
    default = info.get_default(call_default_factory=True)
    if is_flag(info):
        return Annotated[bool, typer.Option(option.word, help=info.description)], default
    kind: Any = str if get_origin(plain) is Literal else plain
    shown: Any = True
    if is_list(info):
        shown = " ".join(map(str, default)) or False
        kind, default = list[get_args(plain)[0]], None  # type: ignore[misc]
    declared = typer.Option(option.word, help=info.description, show_default=shown)
    return Annotated[kind if default is not None else kind | None, declared], default


def _check_options(
    kind: Experiment[Any, Any], given: dict[str, Any], fields: dict[str, tuple[Any, Option]]
) -> None:
    """Refuse options of another kind that shares the command."""
    others = [fields[name][1].word for name in given if name not in kind.settings.model_fields]
    if not others:
        return
    why = [fields[name][1].word for name in given if kind.is_meant({name: given[name]})]
    remedy = f", or leave out {' and '.join(why)}" if why and not kind.is_usual else ""
    raise InputError(f"{', '.join(others)} is not for {kind.name}; leave it out{remedy}")


def _check_outputs(kind: Experiment[Any, Any], files: dict[Output, Path]) -> None:
    """Refuse files of another kind that shares the command."""
    own = {output.word for output in kind.outputs()}
    others = [output.word for output in files if output.word not in own]
    if others:
        raise InputError(f"{', '.join(others)} is not for {kind.name}; leave it out")


def run_command(
    kind: Experiment[Any, Any],
    network: str,
    routing: str | None,
    given: dict[str, Any],
    files: dict[Output, Path],
    *,
    save: Path | None,
    usage: Path | None,
    require: Sequence[str] | None,
    no_memory_check: bool,
    scheduler: str,
    threads: int | None,
    whole: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run one experiment, write what was asked for, and print the answer."""
    from obroute.dependencies import file_digests, sources
    from obroute.execution import ON_THIS_MACHINE, open_runner
    from obroute.importers import make_network
    from obroute.writing import write_whole

    settings = kind.settings.read(given, as_options=True)
    required = [Requirement.read(text) for text in require or ()]
    for output, file in files.items():
        output.check(file)
    if not as_json:
        tell_what_will_be_read(network)
    made = make_network(network)
    chosen = kind.routing_of(made, routing or "", settings)
    made = made if chosen is None else chosen.network_for(made)
    kind.check(made, chosen, settings)
    workers = threads or os.cpu_count() or 1
    if scheduler in ON_THIS_MACHINE and not no_memory_check:
        what = f"{made.name} with {chosen.name}" if chosen else f"a {kind.name} for {made.name}"
        machine.check_memory(kind.megabytes(made, chosen, settings, workers), what, kind.remedy)
    dependencies = kind.depends_on(made, chosen, settings)
    if save is not None:
        # As they are now, whatever is edited meanwhile.
        sources(dependencies.modules)
        read = file_digests(dependencies.files)
    if not as_json:
        tell_what_was_read(made)
    start = time.perf_counter()
    with open_runner(scheduler, workers, quiet) as run:
        answer = kind.run(made, chosen, settings, run)
    seconds = time.perf_counter() - start
    if save is not None:
        from obroute.kinds.stores import dataset_of, write_store

        write_store(dataset_of(kind, answer, settings, seconds, dependencies, read), save)
    for output, file in files.items():
        output.write(answer, settings, file)
    if usage is not None:
        write_whole(usage, machine.usage().encode())
    values = kind.to_json(answer, settings, seconds) if as_json or required else {}
    if as_json:
        print_json(values)
    else:
        print_shown(kind.shown(answer, settings, seconds), whole)
    for requirement in required:
        requirement.check(values)
