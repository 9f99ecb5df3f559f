"""Prospect: where to look for what a request asks: which process, and which services, with what came before."""

from collections.abc import Iterable, Mapping, Sequence

from clew.agent.planner.actions import Action
from clew.agent.planner.catalogue import Bound, Catalogue
from clew.agent.planner.matching import Wanted, Wording, match
from clew.agent.planner.reading import RequestReading
from clew.agent.planner.targets import Field, Focus, TargetFinder, services_of
from clew.domain.hits import Hit
from clew.domain.ports import Retriever
from clew.domain.records import Record

_HITS, _SERVICES, _MANY_PROCESSES = 30, 6, 40
_LEAST = 0.35
_ABOUT, _FOUND, _CLOSE = 0.2, 0.25, 0.1


class Prospect(Record, frozen=True, kw_only=True):
    """The process that a request is about (empty: none), its steps, and the services to look in with their priors."""

    process: str = ""
    bound: tuple[Bound, ...] = ()
    services: Mapping[str, float] = {}
    preferred: frozenset[str] = frozenset()
    rivals: tuple[str, ...] = ()
    """Processes of other systems that fit about as well, where the request does not say which system is meant."""

    def field(self, focus: Sequence[Focus]) -> Field:
        """Gives the field for one action."""
        return Field(services=self.services, bound=self.bound, focus=tuple(focus), preferred=self.preferred)


class Prospector:
    """Finds the prospect of a request."""

    def __init__(self, catalogue: Catalogue, finder: TargetFinder, retriever: Retriever | None) -> None:
        """Without a retriever all services and processes are looked at."""
        self.catalogue = catalogue
        self.finder = finder
        self.retriever = retriever

    def look(self, reading: RequestReading, wanted: str = "") -> Prospect:
        """Gives the process with the best steps for the actions, and the services that come into question."""
        hits = self.retriever.search(reading.text, _HITS) if self.retriever else []
        allowed = self._of_systems(reading.systems)
        priors = self._priors(hits)
        ranked = self._processes(reading, hits, allowed)
        process = wanted if wanted in self.catalogue.processes else next((name for _, name in ranked), "")
        bound = tuple(b for b in self.catalogue.bound(process) if _service(b) in allowed) if process else ()
        own = services_of(bound)
        names = own + [name for name, _ in sorted(priors.items(), key=lambda item: -item[1])][:_SERVICES]
        if not hits:
            names += list(self.catalogue.services)
        services = {name: priors.get(name, 0.0) for name in dict.fromkeys(names) if name in allowed}
        return Prospect(
            process=process,
            bound=bound,
            services=services,
            preferred=self._kin(own),
            rivals=() if wanted else self._rivals(ranked, self._kin(own)),
        )

    def _rivals(self, ranked: Sequence[tuple[float, str]], kin: frozenset[str]) -> tuple[str, ...]:
        close = [name for score, name in ranked[1:] if ranked[0][0] - score < _CLOSE]
        others = [name for name in close if not kin & set(services_of(self.catalogue.bound(name)))]
        return (ranked[0][1], *others) if others else ()

    def _of_systems(self, systems: Sequence[str]) -> set[str]:
        """Gives the services of the systems that a request names, all of them where it names none that is known."""
        named = {name for name in self.catalogue.services if any(self._is_of(name, system) for system in systems)}
        return named or set(self.catalogue.services)

    def _is_of(self, service: str, system: str) -> bool:
        node = self.catalogue.view(service).service
        told = _squeezed(f"{node.system} {node.about} {node.name}")
        aliases: Iterable[str] = self.catalogue.vocabulary.source["systems"][system]
        return any(len(alias) > 1 and _squeezed(alias) in told for alias in aliases)

    def _kin(self, services: Sequence[str]) -> frozenset[str]:
        """Gives the services of the same systems as those of the process."""
        systems = {self.catalogue.view(name).service.system for name in services}
        if not services or systems == {""}:
            return frozenset(services)
        return frozenset(n for n in self.catalogue.services if self.catalogue.view(n).service.system in systems)

    def _priors(self, hits: Sequence[Hit]) -> dict[str, float]:
        priors: dict[str, float] = {}
        for hit in hits:
            scheme, _, rest = hit.node.partition(":")
            service = rest.replace("#", "/", 1).partition("/")[0]
            if scheme in {"odata", "openapi"} and service in self.catalogue.services:
                priors[service] = max(priors.get(service, 0.0), 1 / hit.rank)
        return priors

    def _processes(self, reading: RequestReading, hits: Sequence[Hit], allowed: set[str]) -> list[tuple[float, str]]:
        """Gives the processes that the request may be about with their scores, best first."""
        found: dict[str, float] = {}
        for hit in hits:
            name = hit.process or (hit.node if hit.node.startswith("bpmn:") else "")
            owner = name.removeprefix("bpmn:").partition("/")[0]
            if owner in self.catalogue.processes:
                found[owner] = max(found.get(owner, 0.0), 1 / hit.rank)
        names = list(self.catalogue.processes) if len(self.catalogue.processes) <= _MANY_PROCESSES else list(found)
        scored = [(self._score(name, reading, allowed) + _FOUND * found.get(name, 0.0), name) for name in names]
        return sorted((pair for pair in scored if pair[0] >= _LEAST), reverse=True)

    def _score(self, process: str, reading: RequestReading, allowed: set[str]) -> float:
        """Gives how well the steps of a process do what is asked (0-1), a little more where its name says so."""
        bound = tuple(b for b in self.catalogue.bound(process) if _service(b) in allowed)
        if not bound or not reading.actions:
            return 0.0
        prospect = Prospect(process=process, bound=bound, services={}, preferred=self._kin(services_of(bound)))
        total = sum(self._best(action, prospect) for action in reading.actions)
        return total / len(reading.actions) + _ABOUT * self._about(process, reading)

    def _best(self, action: Action, prospect: Prospect) -> float:
        found = self.finder.find(action, prospect.field(()))
        return found[0].score if found else 0.0

    def _about(self, process: str, reading: RequestReading) -> float:
        vocabulary = self.catalogue.vocabulary
        node = self.catalogue.process(process).process
        said = dict.fromkeys(vocabulary.terms(reading.text), 1.0)
        return match(Wanted(terms=said), Wording(name=vocabulary.terms(node.name)), vocabulary)


def _service(bound: Bound) -> str:
    return bound.target.partition(":")[2].replace("#", "/", 1).partition("/")[0]


def _squeezed(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
