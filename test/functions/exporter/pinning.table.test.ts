import { describe, expect, it } from 'vitest';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { exportsGroup } from '#functions/exports/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { LOOK_AGAIN_SECONDS } from '#shared/exports/pin-log.ts';
import { WAIT_MICROS } from '#shared/exports/rules/life-of-an-export.ts';
import { PROBLEMS, WAITS_FOR } from '#shared/exports/rules/sentences.ts';
import { sweepExports } from '#shared/exports/sweep-exports.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { openCheckpoint, parsePolicy } from '#shared/tlog/policy.ts';
import { witnessSigner } from '#shared/tlog/signer.ts';
import { testApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import { cosign, exporterOf, logEverything } from '#test/support/log/exports.ts';
import { readBag, recordsOf } from '#test/support/log/read-tar.ts';
import { recordingExports } from '#test/support/queue.ts';

const api = await testApi([flowsGroup, trailsGroup, exportsGroup, auditGroup]);
const { table, clock } = api.services;
const [eu, us] = ['eu', 'us'].map((name, i) =>
  witnessSigner(`${name}.witness.example`, localKey(privateKeyOf(new Uint8Array(32).fill(i + 1))), () => 1),
) as [ReturnType<typeof witnessSigner>, ReturnType<typeof witnessSigner>];
const policy = `witness eu ${eu.verifierKey} https://eu.example/w
witness us ${us.verifierKey} https://us.example/w
group both all eu us
quorum both
`;

interface ShownExport {
  id: string;
  state: string;
  log: { size: number; witnesses: string[]; covers_start: boolean } | null;
  waits_for: { what: string; until: number } | null;
  filename: string | null;
  problem: string | null;
  download_url: string;
}

/** An export that was just started, and an exporter under the policy of two witnesses that takes one message at a time. */
async function startedExport() {
  const acme = await newOrganization(api);
  const { status, json } = await acme.call('POST', `/exports/${acme.org}`);
  expect(status).toBe(202);
  const { id } = json as ShownExport;
  const sent = recordingExports();
  const exporter = exporterOf(api.services, { witness: { policy }, exports: sent.queue });
  const message = { org: acme.id, id };
  /** @returns the export afterwards, and what was sent */
  const step = async () => {
    expect(await exporter.work(message), JSON.stringify(exporter.logged.at(-1))).toBe(true);
    return { ...(await shown(acme, id)), sent: sent.take().map(({ delaySeconds }) => delaySeconds) };
  };
  return { acme, id, step };
}

const shown = async (acme: EvidenceOfOrganization, id: string) =>
  (await acme.get(`/exports/${acme.org}/${id}`)).json as ShownExport;

const bagOf = async ({ download_url: address }: ShownExport) =>
  readBag(Buffer.from(await (await fetch(address)).arrayBuffer()));

describe('an export under a policy of two witnesses', () => {
  it('waits for a checkpoint that covers its start and that both cosigned, and says so', async () => {
    const { acme, id, step } = await startedExport();
    const waiting = { state: 'running', log: null, filename: null, sent: [LOOK_AGAIN_SECONDS] };
    expect(await step()).toMatchObject({ ...waiting, waits_for: { what: WAITS_FOR, until: expect.any(Number) } });
    await logEverything(api.services, acme.id);
    expect(await step()).toMatchObject(waiting);
    await cosign(table, acme.id, [eu]);
    expect(await step()).toMatchObject(waiting);
    const command = { command: 'export', organization: acme.org, id };
    expect(await heldTo('operator', OPERATOR_USES, () => runOperator(api.services, command))).toMatchObject({
      message: 'The export waits for its checkpoint',
      waits_for: WAITS_FOR,
    });
    await cosign(table, acme.id, [eu, us]);
    const witnesses = ['eu.witness.example', 'us.witness.example'];
    const done = await step();
    expect(done).toMatchObject({ state: 'done', waits_for: null, log: { covers_start: true, witnesses }, sent: [] });
    expect(await heldTo('operator', OPERATOR_USES, () => runOperator(api.services, command))).toMatchObject({
      log: { covers_start: true, witnesses },
    });
  });

  it('meets the policy of its own archive', async () => {
    const { acme, step } = await startedExport();
    await logEverything(api.services, acme.id);
    await cosign(table, acme.id, [eu, us]);
    const { files } = await bagOf(await step());
    const own = parsePolicy(files.get('data/keys/policy') ?? '');
    const { signatures, size } = openCheckpoint(files.get('data/log/checkpoint') ?? '', own);
    expect(signatures).toHaveLength(3);
    expect(files.get('bag-info.txt')?.toString()).toContain('Export-Format: 2\n');
    expect(files.get('data/README.md')?.toString()).toContain('eu.witness.example, us.witness.example');
    const started = recordsOf(files, 'audit').find(({ kind }) => kind === 'export.started');
    expect(Number(started?.['log_index'])).toBeLessThan(size);
  });

  it('takes the newest checkpoint that met the policy when its time is over, and says that it does not cover its start', async () => {
    const acme = await newOrganization(api);
    await acme.begin({ name: 'early' });
    await logEverything(api.services, acme.id);
    await cosign(table, acme.id, [eu, us]);
    const { id } = (await acme.call('POST', `/exports/${acme.org}`)).json as ShownExport;
    await logEverything(api.services, acme.id);
    const exporter = exporterOf(api.services, { witness: { policy } });
    await exporter.work({ org: acme.id, id });
    expect(await shown(acme, id)).toMatchObject({ state: 'running', log: null });
    clock.advance(WAIT_MICROS);
    await exporter.work({ org: acme.id, id });
    const done = await shown(acme, id);
    expect(done).toMatchObject({ state: 'done', log: { covers_start: false } });
    const { files } = await bagOf(done);
    expect(files.get('data/README.md')?.toString()).toContain('does not cover the audit entry of the start');
    const started = recordsOf(files, 'audit').find(({ kind }) => kind === 'export.started');
    expect(started).not.toHaveProperty('log_index');
  });

  it('fails with a sentence if no checkpoint ever met the policy', async () => {
    const { acme, step } = await startedExport();
    await logEverything(api.services, acme.id);
    clock.advance(WAIT_MICROS);
    expect(await step()).toMatchObject({ state: 'failed', problem: PROBLEMS.checkpoint, log: null, sent: [] });
    expect((await acme.call('POST', `/exports/${acme.org}`)).status).toBe(202);
  });

  it('gets a message from the sweep only if its own message is lost', async () => {
    const { id } = await startedExport();
    const { queue, take } = recordingExports();
    const swept = async () => {
      await sweepExports({ ...api.services, exports: queue });
      return take().filter(({ message }) => message.id === id).length;
    };
    clock.advance(120_000_000);
    expect(await swept()).toBe(0);
    clock.advance(WAIT_MICROS);
    expect(await swept()).toBe(1);
  });
});
