"""Entries of the papers' policies in Eyewall's catalogue: what each is, and when to use it."""

from eyewall_sidecar.objective import Term
from eyewall_sidecar.policies import PolicyEntry

RIZOU = PolicyEntry(
    title="MOPA, Rizou's multi-operator placement",
    source="Rizou et al., paper 001, algorithms 1 and 2 and clustering",
    method="moves operators to their Weber points in a cost space, then to the nearest nodes",
    optimises=(Term.N,),
    take_it="to see what operators find that know their neighbours only, and to compare with",
    implementation="eyewall_papers.policies.rizou:MultiOperatorPlacement",
)

PIETZUCH = PolicyEntry(
    title="SBON, Pietzuch's spring relaxation",
    source="Pietzuch et al., ICDE 2006, as papers 000 and 001 describe it",
    method="lets streams pull as springs in a cost space, then takes the nearest nodes",
    optimises=(Term.EE, Term.N),
    take_it="to compare with: it aims at N by way of EE",
    implementation="eyewall_papers.policies.pietzuch:SpringRelaxation",
)

XU = PolicyEntry(
    title="Xu's best fit by traffic (T-Storm)",
    source="Xu et al., ICDCS 2014, as paper 000, sections 2 and 7.2, describes it",
    method="in descending order of traffic, each operator joins those it exchanges most with",
    optimises=(Term.T,),
    take_it="if nodes are about equally far apart and only what leaves a node counts",
    implementation="eyewall_papers.policies.xu:BestFitByTraffic",
)
