/** Sections of the page whose figures programs of their own measure. Enter the figures here. */

export const LARGE_REPORTS = `## Large reports

A report of 10,000 different fingerprints to an environment with five policies, one of which names a control. Flows reported
2,000 of the fingerprints, each in a trail of its own. The functions run from their bundles, and 10 ms are added to every call.
Functions, database and client share one core.

\`\`\`console
taskset -c 0 npm run bench:report -- --latency-ms 10
\`\`\`

The command prints when the answer came, when the snapshot was stored, the processor time of the function and of the whole
stack, and the peak memory of the function, first for a new environment and then for a change. Run it on a quiet machine.
[Decision 103](decisions/0103-large-reports.md) has counts of calls and the processor time of a call.`;

export const LOG_TIMES = `## Receipts and backlog of the log

\`\`\`console
npm run bench:receipts -- --rate 10 --rate 100 --seconds 20
npm run bench:integrate -- 20000
npm run bench:paired -- --before ../checkout-of-another-commit --rounds 5
\`\`\`

The first command measures how long after the answer of a write its [receipt](rules/log.md#receipts) is ready. Client and stack share
one process, and the database has another. The second one lets the integrator work off a backlog of one organization. The third one
runs the benchmark of writes in two checkouts in turn.

Measured on 2026-11-22, on a machine with little other work (the load is that before the command):

| What | Load | Figure | Goal |
| --- | --: | --- | --- |
| receipts at 10 writes per second | 5 | median 2.3 s, 99th percentile 4.6 s | 3 s and 10 s |
| receipts at 100 writes per second | 4 | median 2.0 s, 99th percentile 3.8 s | 3 s and 10 s |
| backlog of 20,000 entries | 3 | 1,097 per second appended, stored and published | 1,000 |

With other work on the machine (load 9), the same program reached 44 of 100 writes per second, and receipts were ready after 5.8 s at
the median. A profile showed that the processor was the limit: no function of the integrator took more than 1 percent.`;
