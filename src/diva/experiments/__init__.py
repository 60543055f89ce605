"""The paper's experiments, from declarative specs to tables, figures and a page that says what reproduces.

specs/       Exp-1 to Exp-9, one file each: what is varied, over which tables, by whom, and what the paper claims
spec         a spec as a value, validated
relations    the tables as types, and samples of them
targets      what Σ speaks of, so that its conflict rate is as wanted
sigma        Σ of a class on these targets, satisfiable
points       a spec becomes points and runs
measure      one run: solved, recounted, timed
journal      what is done already, so that a run goes on where it stopped
tidy         all runs as one table, with the accuracy of each
claims       does what the paper claims show in the figures?
figure       the Vega-Lite figure; draw makes pictures of it
page         docs/experiments.md
conduct      all of it in order
"""
