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

export const LOG_TIMES = `## Backlog of the log

\`\`\`console
npm run bench:integrate -- 20000
\`\`\`

The command lets the integrator work off a backlog of one organization. On 2026-11-22, on a machine with a load of 3 before the
command, the integrator appended, stored and published 1,097 entries per second (goal: 1,000).

## Logs of many organizations

\`\`\`console
npm run bench:log-load -- --organizations 10000 --writes 1000 --seconds 10
\`\`\`

Each write is for an organization by chance, so almost every entry is alone in its log. The calls of the integrator are real; the queue and
its connections run in simulated time, and calls that run at the same time there run one after another here. Each call of the table and
each signature takes 8 ms more. On 2026-11-28, on a machine with a load of 8 before the command:

| | a call integrates a second | 20 calls | processor time for an entry | signatures for an entry |
| --- | --: | --: | --: | --: |
| one organization of a call after another | 76 entries | 1,516 | 3.9 ms | 0.97 |
| the logs of a call are read together | 141 entries | 2,819 | 3.4 ms | 0.97 |
| the same, with at most 200 signatures per second (load of 7) | 144 entries | 2,885 | 2.9 ms | 0.72 |`;

export const EXPORT_TIMES = `## Export and verification

\`\`\`console
npm run bench:export -- 6000
\`\`\`

The command writes attestations, each with a moment, to one organization, exports it in one call and verifies the archive. It prints the
processor time of its own process for both parts. On 2026-11-23, on a machine with a load of 24 before the command and with a
profiler, the export took 2.4 s for 6,062 entries and the verification 0.9 s: together 1,842 entries per second and core.
The clients of AWS and the collection of garbage took a third of the time of the export, the rest was spread over many functions.

\`\`\`console
npm run build:verifier && npm run bench:verify -- 100000
\`\`\`

The command makes an export of 100,265 entries (269 MB): 33,000 trails, each with three moments, fields, a commit, a repository and an
attestation with a file. On 2026-11-23, on two cores without other work, the verifier as one file took 9.6 s of processor time: 10,400
entries per second and core (goal: 10,000), with 394 MB.`;

export const SIGNATURE_TIMES = `## Signatures of others

\`\`\`console
npm run bench:signatures
\`\`\`

The command reads bundles of 20 KB, verifies them and takes a summary out of their predicate, 200 times each, and prints the processor time
of its process. It ends with 1 if a bundle takes longer than the goal of 60 ms, or one of 10 MB longer than a second. On 2026-11-29, on two
cores with a load of 14, the last row without other work:

| Bundle | characters | ms each | ms of the first one |
| --- | --: | --: | --: |
| certificate, log entry and timestamp | 20,366 | 8.1 | 51.3 |
| certificate and log entry | 19,771 | 3.6 | 3.0 |
| public key and log entry | 17,028 | 0.6 | 0.9 |
| envelope with a public key | 20,376 | 0.3 | 0.6 |
| published package, public root | 10,976 | 8.3 | 8.8 |
| certificate and log entry, 10 MB, ten times | 10,085,927 | 146 | 176 |

The first bundle of a process also waits until the code of the libraries is compiled.

### Recalls

\`\`\`console
npm run bench:recall
\`\`\`

The command recalls a signer of 10,000 artifacts, each in a trail of its own, which run in 200 environments. It reads the whole
[impact](rules/verified-evidence.md#impact) in pages of 500 trails, and does the work of the expander. The database is local. On 2026-11-29, on two
cores without other measurements:

| | seconds | goal | calls of the table |
| --- | --: | --: | --: |
| impact, all pages | 4.0 | 5 | 500 |
| marks of all 200 environments, with one message | 3.2 | 60 | 642 |

With a load of 17 the impact took 34 s and the marks 29 s, with five messages.`;

export const ONE_MACHINE = `## One machine beside an older commit

\`npm run bench:beside -- checkouts\` starts the services of two checkouts and lets them take turns. 6b13af12 is the last commit
before the log: it stores no entries, no tiles and no checkpoints. Five rounds of 300 attestations for each line on two cores, median
(lowest–highest round), while other processes took at most 4 % of the machine:

\`\`\`console
npm run bench:beside -- checkouts --checkout ../older --checkout . --rounds 5
\`\`\`

|  | per second | median, ms | 99th percentile, ms | processor, ms |
| --- | --: | --: | --: | --: |
| 6b13af12, 1 client | 98 (75–108) | 9.0 (8.2–12.0) | 23.3 (17.7–27.0) | 13.6 (10.1–19.3) |
| 30f27f22, 1 client | 81 (77–100) | 11.0 (9.0–11.9) | 31.2 (23.6–32.0) | 15.4 (12.6–16.6) |
| 6b13af12, 16 clients | 123 (93–125) | 128.2 (124.8–159.4) | 186.2 (179.2–334.9) | 13.5 (10.4–15.9) |
| 30f27f22, 16 clients | 103 (99–115) | 151.6 (133.7–158.2) | 209.3 (197.8–241.6) | 15.1 (13.3–18.4) |

The same run before work after answers [gave way to requests](local-stack.md) had a 99th percentile of 43 ms with one client and 260 ms with
16. The goal, the older figures, is not reached: 83 percent of the answers per second. The request makes the same three calls with the
same five items; what is left is the work of relay and integrator that runs beside it after two seconds.`;

export const BILLS = `## Bills by rate

\`\`\`console
npm run bench:bills
\`\`\`

Counted on 2026-11-29, in calls and units that do not depend on the machine. A write of the mix is one of a release that is deployed once: a
trail, six attestations, one of them with a file, an artifact, a report with a change. Each record of the stream and each message has a
call of its own. A visit is that of an organization with such releases. Dollars are those of [the other bills](#cost-of-operations).

Each start of an artifact in an environment is one write unit more since that count, for the
[list of starts by time](rules/environments.md#starts-by-time): 0.11 units for a write of the mix. \`npm run bench -- --part bill\` counts it
with a report with a change.

| Counted | read units | write units | calls of functions | requests of queues | signatures | $ for a million |
| --- | --: | --: | --: | --: | --: | --: |
| a write of the mix, without the log | 26.22 | 22.00 | 2.22 | 0.33 | 0.00 | 23.22 |
| the same, without the filter of the event source | 26.22 | 22.00 | 3.11 | 0.33 | 0.00 | 24.07 |
| the log, a write every 0.01 s | 2.31 | 3.14 | 0.08 | 2.39 | 0.02 | 3.74 |
| the log, a write every 0.1 s | 1.37 | 3.68 | 0.43 | 2.37 | 0.05 | 4.74 |
| the log, a write every 1 s | 2.65 | 6.66 | 2.23 | 3.93 | 0.50 | 16.20 |
| the log, a write every 10 s | 2.16 | 7.96 | 2.00 | 3.00 | 1.00 | 24.73 |
| the log, a write every 120 s | 2.98 | 8.01 | 2.00 | 3.00 | 1.00 | 29.22 |
| a visit of the sweeps | 117.00 | 3.00 | 1.00 | 0.30 | 0.00 | 19.18 |

Computed from that: dollars of a month without storage, with writes at all hours that are for an organization by chance. «No log, no filter»
is what the work costs without the log, as at 6b13af12: it has the requests of today and no integrator, and the relay gets every record.
«No line» has the log without the limit of signatures. Slower paces than the slowest counted one cost the same; a write every
millisecond counts as one every 10. Organizations share calls of the integrator where many write at once, so the log costs less
than computed.

| Writes | organizations | no log, no filter | log, no filter, no line | now | reached first | set then |
| --- | --: | --: | --: | --: | --: | --: |
| idle | any | 19 | 19 | 19 | nothing |  |
| 1 per second | 1 | 96 | 139 | 136 | signatures, 0 % | \`maxSignaturesPerSecond\` |
| 1 per second | 100 | 112 | 189 | 186 | signatures, 1 % | \`maxSignaturesPerSecond\` |
| 1 per second | 10,000 | 155 | 232 | 229 | signatures, 1 % | \`maxSignaturesPerSecond\` |
| 10 per second | 1 | 675 | 801 | 773 | the log of one organization, 1 % | several organizations |
| 10 per second | 100 | 692 | 1,346 | 1,318 | signatures, 5 % | \`maxSignaturesPerSecond\` |
| 10 per second | 10,000 | 1,183 | 1,953 | 1,925 | signatures, 5 % | \`maxSignaturesPerSecond\` |
| 100 per second | 1 | 6,472 | 7,447 | 7,170 | the log of one organization, 10 % | several organizations |
| 100 per second | 100 | 6,489 | 10,832 | 10,554 | signatures, 25 % | \`maxSignaturesPerSecond\` |
| 100 per second | 10,000 | 8,105 | 15,808 | 15,531 | signatures, 50 % | \`maxSignaturesPerSecond\` |
| 1000 per second | 1 | 64,442 | 74,192 | 71,416 | the log of one organization, 100 % | several organizations |
| 1000 per second | 100 | 64,458 | 77,032 | 74,257 | calls of the integrator, 177 % | \`logEntriesConcurrency\` |
| 1000 per second | 10,000 | 66,120 | 131,504 | 97,624 | signatures, 500 % | \`maxSignaturesPerSecond\` |

The share says how much of the default is used. Above 100 % signatures only let receipts wait, and entries wait in the queue for
calls of the integrator; nothing is refused. At 1,000 writes per second the gateway is at 100 % (\`requestsPerSecond\`) and the table at 63 to 75 %
of the 40,000 write units of the account's quota. Of the last bill the log is a third; the goal is a quarter.`;

export const COMPONENTS = `## Index of components

\`\`\`console
npm run bench:components
\`\`\`

The command reports SBOMs to a local table, and lets the expander index them. It counts the write units of the index, and ends with 1 if a goal is
missed. On 2026-11-29, on two cores without other work:

| Counted or measured | | goal |
| --- | --: | --: |
| write units of an SBOM with 1,000 components that are new together | 1,005 | 1,100 |
| write units of an SBOM with the same components | 3 | 6 |
| calls of the expander for 50,000 new components | 3 | |
| their processor time | 5.6 s | |
| their time on this machine, beside a local database | 12.8 s | |

### Where a component runs

\`\`\`console
npm run bench:exposure -- --rounds 3
\`\`\`

The command asks one question of 10,000 SBOMs with 1,000 components each, all of which list the package, every tenth one in an asked version,
and of 200 environments with eleven artifacts each. It reads all pages of [exposure](rules/components.md#exposure), 50 builds each. Postings of other
packages are not written: they have other keys, which the question does not read. It ends with 1 if a page misses the goal. On 2026-11-29, on two
cores without other work:

| Counted or measured | | goal |
| --- | --: | --: |
| 99th percentile of a page | 197 ms | 2,000 ms |
| median of a page | 106 ms | |
| the whole answer, 25 pages: 1,000 affected, 200 of them in environments, 200 not known | 2.7 s | |
| calls of a page, at most | 126 | |
| read units of a page, at most | 648 | |

A region was not measured.`;

export const LOOKS = `## Looks for gaps

\`\`\`console
npm run bench:looks
\`\`\`

The command stores 10,000 environments that all became overdue in the same minute, and lets one look find them: 10,000 gaps with their audit
entries. It does the same with 10,000 flows whose evidence became too old, with 10,000 trails that were not compliant in time, and with 10,000
artifacts that started in one environment and were not decided about; \`npm run bench:looks -- trails\` measures one kind.
Then it plays 20 minutes of 1,000 environments that report every minute, and counts what the sweeps and the looks use. The
expectations ask for a report every five minutes. It ends with 1 if a goal is missed. On 2026-11-29, on two cores with a load of 16:

| Counted or measured | | goal |
| --- | --: | --: |
| 10,000 gaps of one look, processor time | 25 s | |
| the same in a function of default size, 1 GB | 43 s | 60 s |
| the same look on this machine, beside a local database and other work | 142 s | |
| 10,000 gaps in the evidence of flows, processor time (load of 14) | 36 s | |
| the same in a function of 1 GB | 63 s | 60 s |
| 10,000 gaps in the completion of trails, processor time (load of 17) | 37 s | |
| the same in a function of 1 GB | 64 s | 60 s |
| 10,000 gaps in decisions about starts, processor time (load of 17) | 34 s | |
| the same in a function of 1 GB | 58 s | 60 s |
| 1,000 expectations of one environment each: looks a minute | 0.50 | |
| read units and write units a minute | 69.0 and 1.0 | |
| dollars a month more than without expectations | 0.54 | 1 |
| 10 expectations of 100 environments each: looks a minute | 0.55 | |
| read units and write units a minute | 42.4 and 1.1 | |
| dollars a month more than without expectations | 0.39 | 1 |

On such a loaded machine the same work takes more processor time: system calls alone were a quarter of it. The trails took 10,227 calls
and the starts 10,657: events before overdue starts are read once for all of them. Before, that look failed. The flows took
57 s while a look turned the scope into a text again for each flow. Compare these rows only with each other.

The figure in a region was not measured. There the table answers a transaction in some 20 milliseconds and 16 gaps are written at the same
time, so processor time decides. A look that does not end in time goes on a minute later, and each gap is stored once. A report reads and
writes what it did before, so its cost is not in the table.`;
