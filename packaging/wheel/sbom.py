# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the bill of materials of the wheel (CycloneDX 1.6) into the folder that stage.py has made.

``SOURCE_DATE_EPOCH=SECONDS python packaging/wheel/sbom.py DIR``. The same commit gives the same bytes: the time is that
of the commit, and the serial number is computed from the rest.
"""

import os
import re
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any, TypeAlias

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.license import License
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
NATIVES = ("quench-switch-python", "quench-simulator-python")
"""The crates that are native modules."""
LIBRARIES = {
    "libbpf-dev": "LGPL-2.1-only OR BSD-2-Clause",
    "libelf-dev": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "zlib1g-dev": "Zlib",
    "libc6-dev": "LGPL-2.1-or-later",
}
"""Debian packages whose static libraries quench-host is linked with, and the licences that LIBRARIES names."""
CRATE = re.compile(r"(?P<depth>\d+)\|(?P<name>\S+) v(?P<version>\S+)[^|]*\|(?P<licence>.*?)(?: \(\*\))?")
LOCKED = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>\S+)(?P<hashes>(?: \\\n +--hash=sha256:[0-9a-f]{64})+)$", re.M)

Key: TypeAlias = tuple[str, str]
Edges: TypeAlias = dict[str, set[str]]


def _licences(text: str) -> list[License]:
    # Crates of before SPDX's expressions separate alternatives by a slash.
    return [LicenseFactory().make_from_string(text.replace("/", " OR "))] if text else []


def _sha256(value: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=value)


def _tree(edges: str) -> Iterator[tuple[int, Key, str]]:
    """(depth, crate, licence) of each line of cargo's trees for this machine. Raises CalledProcessError."""
    lines = []
    for native in NATIVES:
        command = ["cargo", "tree", "--locked", "--package", native, "--edges", edges, "--prefix", "depth"]
        command += ["--format", "|{p}|{l}", "--charset", "ascii"]
        tree = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
        lines += tree.splitlines()
    for line in lines:
        found = CRATE.fullmatch(line)
        if found is None:
            raise ValueError(f"cargo tree: {line!r}: not a crate: adapt CRATE of {Path(__file__).name}")
        yield int(found["depth"]), (found["name"], found["version"]), found["licence"]


def _crates(edges: Edges) -> list[Component]:
    """The crates of the native modules; those that only their build runs are excluded from what is delivered."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    checksums = {(each["name"], each["version"]): each.get("checksum") for each in lock["package"]}
    linked = {key for _, key, _ in _tree("normal,no-proc-macro")}
    components = {}
    above: list[str] = []
    for depth, (name, version), licence in _tree("normal,build"):
        checksum = checksums[name, version]
        # Only what comes from crates.io can be found there.
        purl = PackageURL("cargo", None, name, version) if checksum else None
        reference = str(purl or f"{name}@{version}")
        del above[depth:]
        for parent in above[-1:]:
            edges.setdefault(parent, set()).add(reference)
        above.append(reference)
        components[reference] = Component(
            name=name,
            version=version,
            bom_ref=reference,
            purl=purl,
            scope=ComponentScope.REQUIRED if (name, version) in linked else ComponentScope.EXCLUDED,
            hashes=[_sha256(checksum)] if checksum else [],
            licenses=_licences(licence),
        )
    return list(components.values())


def _locked() -> dict[str, tuple[str, list[str]]]:
    """Version and hashes, sorted, of each package of requirements.lock."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return {
        canonicalize_name(found["name"]): (found["version"], sorted(re.findall(r"[0-9a-f]{64}", found["hashes"])))
        for found in LOCKED.finditer(text)
    }


def _needed(lines: Iterable[str], extra: str = "") -> list[Requirement]:
    """Those of the requirements that hold on this machine, with an extra of the package that states them."""
    requirements = [Requirement(line) for line in lines]
    return [each for each in requirements if each.marker is None or each.marker.evaluate({"extra": extra})]


def _closure(roots: Iterable[Requirement], edges: Edges) -> set[str]:
    """Names of all packages that the roots need."""
    found: set[tuple[str, str]] = set()
    waiting = list(roots)
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        for extra in {"", *requirement.extras}:
            if (name, extra) not in found:
                found.add((name, extra))
                needed = _needed(distribution(name).requires or [], extra)
                edges.setdefault(name, set()).update(canonicalize_name(each.name) for each in needed)
                waiting += needed
    return {name for name, _ in found}


def _python_licences(package: Distribution) -> list[License]:
    """The licences by the newest of the fields that a package has: an expression, classifiers, or a line of text."""
    metadata = package.metadata
    if "License-Expression" in metadata:
        return [LicenseFactory().make_from_string(metadata["License-Expression"])]
    prefix = "License :: OSI Approved :: "
    named = [each.removeprefix(prefix) for each in metadata.get_all("Classifier") or [] if each.startswith(prefix)]
    text = metadata["License"].strip() if "License" in metadata else ""
    names = [text] if text not in {"", "UNKNOWN"} and "\n" not in text and len(text) < 80 else named
    return [LicenseFactory().make_from_string(each) for each in names]


def _python(project: dict[str, Any], root: str, edges: Edges) -> list[Component]:
    """The Python packages that the wheel asks for, as locked; those of its extras are optional."""
    locked = _locked()
    names: Edges = {}
    basic = _needed(project["dependencies"])
    extras = _needed(each for lines in project["optional-dependencies"].values() for each in lines)
    required = _closure(basic, names)
    every = required | _closure(extras, names)
    purls = {name: PackageURL("pypi", None, name, locked[name][0]) for name in every}
    for name, below in names.items():
        edges[str(purls[name])] = {str(purls[each]) for each in below}
    edges.setdefault(root, set()).update(str(purls[canonicalize_name(each.name)]) for each in (*basic, *extras))
    components = []
    for name in sorted(every):
        version, hashes = locked[name]
        package = distribution(name)
        if package.version != version:
            raise ValueError(f"{name}: {package.version} is installed, {version} is locked: run make setup")
        files = ExternalReference(
            type=ExternalReferenceType.DISTRIBUTION,
            url=XsUri(f"https://pypi.org/simple/{name}/"),
            comment="the package's files, any of which may be installed",
            hashes=[_sha256(each) for each in hashes],
        )
        components.append(
            Component(
                name=name,
                version=version,
                bom_ref=str(purls[name]),
                purl=purls[name],
                scope=ComponentScope.REQUIRED if name in required else ComponentScope.OPTIONAL,
                licenses=_python_licences(package),
                external_references=[files],
            )
        )
    return components


def _libraries() -> list[Component]:
    """The libraries that quench-host is linked with, as installed. Raises CalledProcessError where a package is not."""
    command = ["dpkg-query", "--show", "--showformat", "${Package} ${Version} ${Architecture}\\n", *LIBRARIES]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    components = []
    for name, version, architecture in (line.split() for line in lines):
        purl = PackageURL("deb", "debian", name, version, {"arch": architecture})
        components.append(
            Component(
                name=name,
                version=version,
                bom_ref=str(purl),
                purl=purl,
                scope=ComponentScope.REQUIRED,
                licenses=_licences(LIBRARIES[name]),
            )
        )
    return components


def bill(project: dict[str, Any], time: datetime) -> str:
    """The bill of the wheel with such a table [project], as JSON.

    Raises CalledProcessError and ValueError where cargo, dpkg or the environment do not have what is locked.
    """
    purl = PackageURL("pypi", None, project["name"], project["version"])
    root = Component(
        name=project["name"],
        version=project["version"],
        type=ComponentType.APPLICATION,
        bom_ref=str(purl),
        purl=purl,
        licenses=_licences(project["license"]),
    )
    edges: Edges = {}
    crates, libraries = _crates(edges), _libraries()
    components = [*crates, *_python(project, str(purl), edges), *libraries]
    natives = [each for each in crates if each.name in NATIVES]
    edges[str(purl)] |= {str(each.bom_ref) for each in (*natives, *libraries)}
    references = {str(each.bom_ref): each.bom_ref for each in (root, *components)}
    bom = Bom(
        components=components,
        metadata=BomMetaData(component=root, timestamp=time),
        serial_number=uuid.UUID(int=0),
        dependencies=[
            Dependency(reference, (Dependency(references[each]) for each in edges.get(name, ())))
            for name, reference in references.items()
        ],
    )
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, JsonV1Dot6(bom).output_as_string())
    return f"{JsonV1Dot6(bom).output_as_string(indent=1)}\n"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    declared = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    made = bill(declared["project"], datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC))
    (folder / declared["tool"]["maturin"]["sbom"]["include"][0]).write_text(made, encoding="utf-8")
