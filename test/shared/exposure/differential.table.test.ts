import { env } from 'node:process';
import { expect, it } from 'vitest';
import { componentsGroup } from '#functions/components/endpoints.ts';
import { type AttestationId, newId } from '#shared/base/ids.ts';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import { readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups, environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { type IndexedSbom, indexSbom } from '#test/support/records/indexed-sboms.ts';
import { reportFiles } from '#test/support/records/reported-sboms.ts';
import { vexFile, vexStatement } from '#test/support/records/reported-vex.ts';
import { relayOf } from '#test/support/relay.ts';

/**
 * Generated SBOMs, statements of OpenVEX, starts and stops. The endpoint reads the index and the history of running; the expectation is computed from what was
 * reported, without either. Both answer the same question at twenty instants (rules/components.md#exposure).
 */

const { EXPOSURE_SBOMS } = env;
/** SBOMs that are generated. `EXPOSURE_SBOMS=1000` makes the full test. */
const SBOMS = Number(EXPOSURE_SBOMS ?? 60);
const ARTIFACTS = Math.ceil(SBOMS / 3);
const REPORTS = Math.min(120, ARTIFACTS);
const STATEMENTS = Math.min(200, 2 * ARTIFACTS);
const VULNERABILITIES = ['CVE-1', 'CVE-2'];
const STATUSES = ['not_affected', 'not_affected', 'fixed', 'affected', 'under_investigation'];
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

interface ReportedStatement {
  artifact: string;
  at: Micros;
  vulnerability: string;
  status: string;
  /** Version of the asked package that it names; null for any version. */
  version: string | null;
}
const statements: ReportedStatement[] = [];
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

async function reportStatement(number: number): Promise<void> {
  const artifact = oneOf(artifacts);
  const [vulnerability, status, version] = [oneOf(VULNERABILITIES), oneOf(STATUSES), oneOf([null, null, ...VERSIONS])];
  const part = version === null ? ASKED.purl : `${ASKED.purl}@${version}`;
  const file = vexFile(vexStatement(fingerprintOf(artifact), { part, vulnerability, status }));
  const id = await reportFiles(acme, { 'vex.json': file }, { name: `vex-${number}`, trail: artifact });
  const record = await readAttestation(api.services.table, acme.id, id);
  if (!record) throw new Error('The attestation was reported');
  statements.push({ artifact, at: record.at, vulnerability, status, version });
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
  if (below(SBOMS) < STATEMENTS) await reportStatement(i);
}
await relay.settle();

/** Whether statements say that a version in an artifact is not affected: the newest one of each vulnerability, all with the same grade. */
function isCleared(asOf: Micros, artifact: string, version: string, asked: string | null): boolean {
  const newest = new Map<string, string>();
  for (const one of statements) {
    const isAbout = one.artifact === artifact && (one.version === null || one.version === version);
    const isAsked = asked === null || one.vulnerability === asked;
    if (isAbout && isAsked && one.at <= asOf) newest.set(one.vulnerability, one.status);
  }
  return newest.size > 0 && [...newest.values()].every((status) => status === 'not_affected' || status === 'fixed');
}

/** What the reports say, by brute force. */
function expected(asOf: Micros, vulnerability: string | null) {
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
  const rows = (isMeant: (version: string, isSaid: boolean) => boolean) =>
    [...counted.values()]
      .filter(
        ({ artifact, version }) =>
          version !== null &&
          version !== 'unreadable' &&
          isMeant(version, isCleared(asOf, artifact, version, vulnerability)),
      )
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
  return {
    affected: rows((version, isSaid) => isAsked(version) && !isSaid),
    not_affected: rows((version, isSaid) => (isAsked(version) || version === 'latest') && isSaid),
    undecided: rows((version, isSaid) => version === 'latest' && !isSaid),
    unknown: unknown.toSorted(),
  };
}

interface Row {
  artifact: { name: string };
  attestation_name: string;
  environments: { environment: string; runs: { from: number | null; to: number | null }[] }[];
}
interface Page {
  affected: Row[];
  not_affected: Row[];
  undecided: Row[];
  not_known: { environment: string; name: string; kind: string }[];
  next_cursor: string | null;
}

async function answered(asOf: Micros, vulnerability: string | null, perPage: number) {
  const found: Omit<Page, 'next_cursor'> = { affected: [], not_affected: [], undecided: [], not_known: [] };
  let cursor: string | null = '';
  const asked = { ...ASKED, ...(vulnerability !== null && { vulnerability }) };
  while (cursor !== null) {
    const query = new URLSearchParams({ ...asked, at: `${toSeconds(asOf)}`, per_page: `${perPage}`, cursor });
    const { status, json, text } = await acme.get(`/components/${org}/exposure`, `${query}`);
    if (status !== 200) throw new Error(text);
    const page = json as Page;
    found.affected.push(...page.affected);
    found.not_affected.push(...page.not_affected);
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
    not_affected: found.not_affected.map(rowText).toSorted(),
    undecided: found.undecided.map(rowText).toSorted(),
    unknown: found.not_known.map(({ environment, name, kind }) => `${name} in ${environment}: ${kind}`).toSorted(),
  };
}

it(`the question has the answer that follows from all reports, at ${INSTANTS} instants`, async () => {
  const times = [...sboms, ...statements, ...reports].map(({ at }) => at).toSorted((a, b) => a - b);
  const seen = { affected: 0, not_affected: 0, undecided: 0, unknown: 0 };
  for (let i = 0; i < INSTANTS; i += 1) {
    const asOf = times[Math.floor((i * (times.length - 1)) / (INSTANTS - 1))];
    if (asOf === undefined) throw new Error('Nothing was reported');
    // The wire has seconds: an instant of the question is what these seconds mean.
    const vulnerability = oneOf([null, null, ...VULNERABILITIES]);
    const answer = await answered(asOf, vulnerability, 1 + below(100));
    expect([i, answer]).toEqual([i, expected(asOf, vulnerability)]);
    for (const part of ['affected', 'not_affected', 'undecided', 'unknown'] as const) seen[part] += answer[part].length;
  }
  // Otherwise the generated data would prove nothing.
  expect(Object.values(seen).every((count) => count > 0)).toBe(true);
}, 600_000);
