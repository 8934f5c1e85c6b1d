import { env } from 'node:process';
import { expect, it } from 'vitest';
import { componentsGroup } from '#functions/components/endpoints.ts';
import { type AttestationId, newId } from '#shared/base/ids.ts';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups, environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { type IndexedSbom, indexSbom } from '#test/support/records/indexed-sboms.ts';
import { relayOf } from '#test/support/relay.ts';

/**
 * Generated SBOMs, starts and stops. The endpoint reads the index and the history of running; the expectation is computed from what was
 * reported, without either. Both answer the same question at twenty instants (rules/components.md#exposure).
 */

const { EXPOSURE_SBOMS } = env;
/** SBOMs that are generated. `EXPOSURE_SBOMS=1000` makes the full test. */
const SBOMS = Number(EXPOSURE_SBOMS ?? 60);
const ARTIFACTS = Math.ceil(SBOMS / 3);
const REPORTS = Math.min(120, ARTIFACTS);
const INSTANTS = 20;
const ENVIRONMENTS = ['prod', 'stage', 'test'];
const VERSIONS = ['1.0.0', '1.2.0', '1.9.9', '2.0.0', '2.1.0', 'latest'];
/** Versions below 2 are asked about. `latest` cannot be compared. */
const ASKED = { purl: 'pkg:npm/asked', versions: 'vers:npm/<2.0.0' };
const isAsked = (version: string) => version.startsWith('1.');

/** Numbers from 0 to 1, the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
const random = seeded(41);
const below = (most: number) => Math.floor(random() * most);
const oneOf = <T>(all: readonly T[]): T => {
  const found = all[below(all.length)];
  if (found === undefined) throw new Error('There is nothing to choose from');
  return found;
};

interface ReportedSbom {
  artifact: string;
  at: Micros;
  name: string;
  /** Version of the asked package; null if it is not in the SBOM. */
  version: string | null | 'unreadable';
}
const sboms: ReportedSbom[] = [];
/** What was reported to run, per environment and in order. */
const reports: { environment: string; at: Micros; names: string[] }[] = [];

const api = await testApi([...environmentGroups, componentsGroup]);
const { clock } = api.services;
const acme = await environmentsOfOrganization(api);
const { org } = acme;
const relay = relayOf(api.services, acme.id);
await acme.putFlow('web');
const { id: flow } = (await acme.get(`/flows/${org}/web`)).json as { id: IndexedSbom['flow'] };
const artifacts = Array.from({ length: ARTIFACTS }, (_, i) => `app-${i}`);
for (const name of artifacts) await acme.report(anArtifact(name), { trail: name });
for (const environment of ENVIRONMENTS) await acme.putEnvironment(environment);

async function reportSbom(number: number): Promise<void> {
  const artifact = oneOf(artifacts);
  const at = clock.now();
  const kind = below(10);
  const version = kind === 0 ? 'unreadable' : kind < 4 ? null : oneOf(VERSIONS);
  const name = below(4) === 0 ? 'base' : 'sbom';
  sboms.push({ artifact, at, name, version });
  const other = `pkg:npm/other@${below(5)}.0.0`;
  await indexSbom(api.services, acme.id, {
    id: newId<AttestationId>(at),
    flow,
    trail: artifact,
    at,
    number: 100 + number,
    name,
    scopes: [{ kind: 'fingerprint', fingerprint: fingerprintOf(artifact) }],
    holds:
      version === 'unreadable'
        ? { unreadable: 'it is no JSON' }
        : version === null
          ? [other]
          : [`pkg:npm/asked@${version}`, other],
  });
}

async function reportRunning(): Promise<void> {
  const environment = oneOf(ENVIRONMENTS);
  const names = artifacts.filter(() => below(ARTIFACTS) < 8);
  await acme.run(environment, onServer(Object.fromEntries(names.map((name) => [name, name]))));
  const { at } = await acme.head(environment);
  reports.push({ environment, at, names });
}

for (let i = 0; i < SBOMS; i += 1) {
  await reportSbom(i);
  if (below(SBOMS) < REPORTS) await reportRunning();
}
await relay.settle();

/** What the reports say, by brute force. */
function expected(asOf: Micros) {
  const counted = new Map<string, ReportedSbom>();
  for (const one of sboms) if (one.at <= asOf) counted.set(`${one.artifact}/${one.name}`, one);
  const runsIn = (environment: string, artifact: string) => {
    const runs: string[] = [];
    let from: Micros | null = null;
    for (const { at, names } of reports.filter((one) => one.environment === environment && one.at <= asOf)) {
      if (names.includes(artifact)) from ??= at;
      else if (from !== null) {
        runs.push(`${toSeconds(from)} to ${toSeconds(at)}`);
        from = null;
      }
    }
    return from === null ? runs : [...runs, `${toSeconds(from)} to null`];
  };
  const rows = (isMeant: (version: string) => boolean) =>
    [...counted.values()]
      .filter(({ version }) => version !== null && version !== 'unreadable' && isMeant(version))
      .flatMap(({ artifact, name }) => {
        const where = ENVIRONMENTS.flatMap((environment) => {
          const runs = runsIn(environment, artifact);
          return runs.length === 0 ? [] : [`${environment}: ${runs.join(', ')}`];
        });
        return [`${artifact} by ${name} in ${where.join('; ')}`];
      })
      .toSorted();
  const unknown = ENVIRONMENTS.flatMap((environment) => {
    const newest = reports.findLast((one) => one.environment === environment && one.at <= asOf);
    return (newest?.names ?? []).flatMap((artifact) => {
      const own = [...counted.values()].filter((one) => one.artifact === artifact);
      const kind = own.some(({ version }) => version === 'unreadable') ? 'unreadable' : 'none';
      return own.length > 0 && kind === 'none' ? [] : [`${artifact} in ${environment}: ${kind}`];
    });
  });
  return { affected: rows(isAsked), undecided: rows((version) => version === 'latest'), unknown: unknown.toSorted() };
}

interface Row {
  artifact: { name: string };
  attestation_name: string;
  environments: { environment: string; runs: { from: number | null; to: number | null }[] }[];
}
interface Page {
  affected: Row[];
  undecided: Row[];
  not_known: { environment: string; name: string; kind: string }[];
  next_cursor: string | null;
}

async function answered(asOf: Micros, perPage: number) {
  const found: Omit<Page, 'next_cursor'> = { affected: [], undecided: [], not_known: [] };
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = new URLSearchParams({ ...ASKED, at: `${toSeconds(asOf)}`, per_page: `${perPage}`, cursor });
    const { status, json, text } = await acme.get(`/components/${org}/exposure`, `${query}`);
    if (status !== 200) throw new Error(text);
    const page = json as Page;
    found.affected.push(...page.affected);
    found.undecided.push(...page.undecided);
    found.not_known.push(...page.not_known);
    cursor = page.next_cursor;
  }
  const rowText = ({ artifact, attestation_name: name, environments }: Row) => {
    const where = ENVIRONMENTS.flatMap((environment) => {
      const runs = environments.find((one) => one.environment === environment)?.runs ?? [];
      return runs.length === 0 ? [] : [`${environment}: ${runs.map(({ from, to }) => `${from} to ${to}`).join(', ')}`];
    });
    return `${artifact.name} by ${name} in ${where.join('; ')}`;
  };
  return {
    affected: found.affected.map(rowText).toSorted(),
    undecided: found.undecided.map(rowText).toSorted(),
    unknown: found.not_known.map(({ environment, name, kind }) => `${name} in ${environment}: ${kind}`).toSorted(),
  };
}

it(`the question has the answer that follows from all reports, at ${INSTANTS} instants`, async () => {
  const times = [...sboms, ...reports].map(({ at }) => at).toSorted((a, b) => a - b);
  const seen = { affected: 0, undecided: 0, unknown: 0 };
  for (let i = 0; i < INSTANTS; i += 1) {
    const asOf = times[Math.floor((i * (times.length - 1)) / (INSTANTS - 1))];
    if (asOf === undefined) throw new Error('Nothing was reported');
    // The wire has seconds: an instant of the question is what these seconds mean.
    const answer = await answered(asOf, 1 + below(100));
    expect([i, answer]).toEqual([i, expected(asOf)]);
    for (const part of ['affected', 'undecided', 'unknown'] as const) seen[part] += answer[part].length;
  }
  // Otherwise the generated data would prove nothing.
  expect(Object.values(seen).every((count) => count > 0)).toBe(true);
}, 600_000);
