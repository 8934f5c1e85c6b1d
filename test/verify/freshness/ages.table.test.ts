import { beforeAll, describe, expect, it, vi } from 'vitest';
import { groups } from '#functions/groups.ts';
import { type Micros, plus } from '#shared/base/time.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { closeDays } from '#shared/environments/sweeps/close-days.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { asExport } from '#test/forger/bag.ts';
import { type ExportSample, exportOf } from '#test/forger/export-sample.ts';
import { testApi } from '#test/support/api.ts';
import { movableClock } from '#test/support/clock.ts';
import { type EnvironmentsOfOrganization, environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { exporterOf } from '#test/support/log/exports.ts';
import { POLICY_HEADER, policyText } from '#test/support/policies.ts';
import { relayOf } from '#test/support/relay.ts';
import { verifyFiles } from '#verify/export.ts';
import { withChanged } from '../changed-export.ts';

/** Ages of attestations and silences of reporters in an export (rules/verification.md#ages, #silence). */

const DAY = 86_400_000_000;
const clock = movableClock();
const api = await testApi(
  groups.filter(({ name }) => name !== 'meta' && name !== 'reference'),
  { clock },
);
const AGED = policyText('attestations: [{type: generic, name: pentest, max_age: P30D}]');
const SILENT = `${POLICY_HEADER}max_silence: PT1H\n`;

const pentest = (acme: EnvironmentsOfOrganization) =>
  acme.attest('generic', { attestation_name: 'pentest', artifact_fingerprint: fingerprintOf('web') });

async function organization(): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  await acme.putFlow('web');
  await acme.begin({ name: 'run' });
  await acme.report(anArtifact('web'));
  await pentest(acme);
  await acme.putPolicy('aged', AGED);
  await acme.putPolicy('heard', SILENT);
  for (const env of ['prod', 'quiet']) await acme.putEnvironment(env);
  await acme.attach('prod', 'aged');
  await acme.attach('quiet', 'heard');
  return acme;
}

const run = async (acme: EnvironmentsOfOrganization, env = 'prod') =>
  expect([200, 201]).toContain((await acme.run(env, onServer({ web: 'web' }))).status);

const exportedOf = (acme: EnvironmentsOfOrganization) => exportOf(api, exporterOf(api.services), acme);
const verified = ({ folder, key, statementKey }: ExportSample, files: ExportSample['files']) =>
  verifyFiles(asExport(folder, files), { policy: policyOf(key), statementKey });

/** The verdict of `prod` turned by age on day 30, and back after another attestation on day 31; `quiet` is silent since day 0. */
describe('an export of environments with max_age and max_silence', () => {
  let sample: ExportSample;
  let acme: EnvironmentsOfOrganization;

  beforeAll(async () => {
    acme = await organization();
    const relay = relayOf(api.services, acme.id);
    const parts = new SweepParts(
      () => undefined,
      () => true,
    );
    await run(acme, 'quiet');
    for (const days of [0, 29, 2]) {
      clock.advance(days * DAY);
      await run(acme);
      await relay.settle();
    }
    expect((await acme.head('prod')).state).toBe(false);
    await pentest(acme);
    await acme.raiseMark('prod');
    await run(acme);
    clock.advance(2 * DAY);
    await closeDays(api.services, parts, acme.id, await readCatalogue(api.services.table, acme.id, ENVIRONMENTS));
    await run(acme);
    await relay.settle();
    sample = await exportedOf(acme);
  }, 120_000);

  it('verifies, and says which environments are silent as of the newest record', async () => {
    const { counts } = await verified(sample, sample.files);
    expect(counts).toMatchObject({ snapshots: 4, 'states of environments': '1 compliant, 1 silent' });
  });

  const changed = (isMeant: (line: Record<string, unknown>) => boolean, change: object) =>
    verified(
      sample,
      withChanged(new Map(sample.files), 'environments', isMeant, (line) => ({ ...line, ...change })),
    );
  const isProd = ({ item, name }: Record<string, unknown>) => item === 'environment' && name === 'prod';

  it.each<[string, (until: Micros) => Micros]>([
    ['a later instant', (until) => plus(until, DAY)],
    ['an earlier instant', (until) => plus(until, -DAY)],
    ['no instant', () => plus(0 as Micros, 0)],
  ])('is refused with %s until which the verdict is fresh, and the fault names both', async (_, change) => {
    const { freshUntil = 0 as Micros } = await acme.head('prod');
    const until = new Date(freshUntil / 1000).toISOString();
    await expect(changed(isProd, { freshUntil: change(freshUntil) })).rejects.toThrow(
      new RegExp(`environment prod is fresh .+, but its attestations are young enough until ${until}`),
    );
  });

  it('is refused if the instant was removed', async () => {
    await expect(changed(isProd, { freshUntil: undefined })).rejects.toThrow(/environment prod is fresh for ever, but/);
  });

  it('is refused if the last report was moved, so that a silent reporter looks alive or a live one silent', async () => {
    const { id } = await acme.head('quiet');
    const isTimes = ({ item, environment }: Record<string, unknown>) => item === 'times' && environment === id;
    const { r } = times(id);
    for (const moved of [plus(r, 1), plus(r, -1), 0]) {
      await expect(changed(isTimes, { r: moved })).rejects.toThrow(
        new RegExp(`the last report of environment quiet is of .+, its presence of .+ has the last one at ${iso(r)}`),
      );
    }
  });

  const iso = (at: number) => new Date(at / 1000).toISOString();
  const times = (id: string): { r: Micros } =>
    String(sample.files.get('data/records/environments-0001.ndjson'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .find(({ item, environment }) => item === 'times' && environment === id);
});

/** A group of `prod` whose snapshot is made an hour after that of `prod`, with an attestation that came in between. */
async function lateGroup(): Promise<EnvironmentsOfOrganization> {
  const acme = await organization();
  await acme.putEnvironment('all', 'logical', { included_environments: ['prod'] });
  await acme.attach('all', 'aged');
  await run(acme);
  clock.advance(DAY / 24);
  await pentest(acme);
  return acme;
}

describe('an export of a logical environment with max_age', () => {
  let acme: EnvironmentsOfOrganization;
  let sample: ExportSample;

  beforeAll(async () => {
    acme = await lateGroup();
    await relayOf(api.services, acme.id).settle();
    // Takes even the time of the snapshot from the head.
    await acme.detach('all', 'aged');
    // Later evidence could be missing in an export that ends with the evaluation.
    clock.advance(DAY / 24);
    sample = await exportedOf(acme);
  }, 120_000);

  it('verifies although the group was evaluated later than its snapshot, and its policies changed since', async () => {
    const { counts } = await verified(sample, sample.files);
    expect(counts).toMatchObject({ snapshots: 2, 'states of environments': '2 compliant, 1 unknown' });
  });

  it('is refused with a later instant until which the verdict is fresh', async () => {
    const { id, freshUntil = 0 as Micros } = await acme.head('all');
    const isGroup = ({ item, id: one }: Record<string, unknown>) => item === 'environment' && one === id;
    const later = withChanged(new Map(sample.files), 'environments', isGroup, (line) => ({
      ...line,
      freshUntil: plus(freshUntil, DAY),
    }));
    await expect(verified(sample, later)).rejects.toThrow(/environment all is fresh until .+ are young enough until/);
  });
});

describe('a service that cheats with ages', () => {
  it('is found if it evaluates a logical environment as of an instant after every record', async () => {
    const cheated = await lateGroup();
    const now = clock.now.bind(clock);
    const lie = vi.spyOn(clock, 'now').mockImplementation(() => (isIn('evaluateGroup') ? plus(now(), DAY) : now()));
    await relayOf(api.services, cheated.id).settle();
    lie.mockRestore();
    const sample = await exportedOf(cheated);
    await expect(verified(sample, sample.files)).rejects.toThrow(
      /it was evaluated as of .+, and the newest record is of/,
    );
  });

  it.each<[string, number, RegExp]>([
    [
      'evaluates as of an instant before the attestation',
      -DAY,
      /'rule_satisfied' at .+ is not what the moments .+ give/,
    ],
    [
      'evaluates as of an instant at which the attestation is young',
      0,
      /it was evaluated as of .+, and the snapshot is of/,
    ],
  ])('is found if it %s', async (_, shift, fault) => {
    const acme = await organization();
    const relay = relayOf(api.services, acme.id);
    await relay.settle();
    const began = clock.now();
    if (shift === 0) clock.advance(31 * DAY);
    const now = clock.now.bind(clock);
    let calls = 0;
    const lie = vi.spyOn(clock, 'now').mockImplementation(() => {
      calls += 1;
      // Only the instant of the evaluation is a lie, or all of them.
      return shift < 0 || isIn('evaluate') ? plus(plus(began, shift), calls) : now();
    });
    await run(acme);
    lie.mockRestore();
    await relay.settle();
    const sample = await exportedOf(acme);
    await expect(verified(sample, sample.files)).rejects.toThrow(fault);
  });
});

/** Whether a function of the service asks for the time. */
const isIn = (name: string): boolean =>
  new RegExp(`\\bat (?:async )?${name} \\(`).test(String(new Error('stack').stack));
