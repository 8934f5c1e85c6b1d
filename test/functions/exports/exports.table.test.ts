import { describe, expect, it } from 'vitest';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { PAGES_MILLIS } from '#functions/exporter/work.ts';
import { exportsGroup } from '#functions/exports/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { exportKey } from '#shared/exports/records/keys.ts';
import { WAITS_FOR } from '#shared/exports/rules/sentences.ts';
import { sweepExports } from '#shared/exports/sweep-exports.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { recordingExports } from '#test/support/queue.ts';
import { relayOf } from '#test/support/relay.ts';

const api = await testApi([exportsGroup, auditGroup]);
const exporter = exporterOf(api.services);

interface ShownExport {
  id: string;
  state: string;
}

const start = (acme: EvidenceOfOrganization, headers: Record<string, string> = {}) =>
  acme.call('POST', `/exports/${acme.org}`, { headers });
const idOf = ({ json }: { json: unknown }) => (json as ShownExport).id;
const auditOf = async (acme: EvidenceOfOrganization) =>
  ((await acme.get(`/audit/${acme.org}`, 'kind=export')).json as { entries: { kind: string; subject: unknown }[] })
    .entries;

describe('POST /exports/{org}', () => {
  describeAccess(api, { method: 'POST', path: (org) => `/exports/${org}`, needs: 'admin' });

  it('starts an export, names it, and notes it in the audit log', async () => {
    const acme = await newOrganization(api);
    const answer = await start(acme);
    expect([answer.status, answer.json]).toEqual([
      202,
      expect.objectContaining({
        state: 'running',
        started_by: expect.stringContaining('admin'),
        finished_at: null,
        log: null,
        waits_for: { what: WAITS_FOR, until: expect.any(Number) },
        progress: { steps: 0, files: 0, bytes: 0 },
        filename: null,
        sha256: null,
        problem: null,
      }),
    ]);
    expect(answer.headers).toMatchObject({ 'x-resource-id': idOf(answer) });
    expect(await auditOf(acme)).toMatchObject([{ kind: 'export.started', subject: { id: idOf(answer) } }]);
  });

  it('answers the export that runs already, also to requests at the same time', async () => {
    const acme = await newOrganization(api);
    const answers = await Promise.all([start(acme), start(acme), start(acme)]);
    expect(new Set(answers.map(idOf)).size).toBe(1);
    expect(idOf(await start(acme))).toBe(answers.map(idOf)[0]);
    expect(await auditOf(acme)).toHaveLength(1);
    const [first = ''] = answers.map(idOf);
    await exporter.run({ org: acme.id, id: first });
    expect(idOf(await start(acme))).not.toBe(first);
  });

  it('repeats its answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    const first = await start(acme, { 'idempotency-key': 'one' });
    await exporter.run({ org: acme.id, id: idOf(first) });
    const second = await start(acme, { 'idempotency-key': 'one' });
    expect([second.status, second.json]).toEqual([202, first.json]);
  });

  it('makes the relay send one message, and the sweep another if the export stands still for a minute', async () => {
    const acme = await newOrganization(api);
    const relay = relayOf(api.services, acme.id);
    await relay.settle();
    const id = idOf(await start(acme));
    const { queue, take } = recordingExports();
    Object.assign(relay.services, { exports: queue });
    await relay.settle();
    expect(take()).toMatchObject([{ message: { org: acme.id, id }, group: acme.id }]);
    await logEverything(api.services, acme.id);
    await exporter.work({ org: acme.id, id }, [0, PAGES_MILLIS]);
    const sweep = async () => {
      await sweepExports({ ...api.services, exports: queue });
      return take().filter(({ message }) => message.id === id).length;
    };
    expect(await sweep()).toBe(0);
    api.services.clock.advance(61_000_000);
    expect(await sweep()).toBe(1);
    await exporter.run({ org: acme.id, id });
    await relay.settle();
    expect([take(), await sweep()]).toEqual([[], 0]);
  });
});

describe('GET /exports/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/exports/${org}`, needs: 'admin' });

  it('lists the exports, newest first', async () => {
    const acme = await newOrganization(api);
    expect((await acme.get(`/exports/${acme.org}`)).json).toEqual({ exports: [] });
    const ids = [];
    for (let i = 0; i < 2; i += 1) {
      const id = idOf(await start(acme));
      await exporter.run({ org: acme.id, id });
      ids.unshift(id);
    }
    const { exports } = (await acme.get(`/exports/${acme.org}`)).json as { exports: ShownExport[] };
    expect(exports.map(({ id, state }) => [id, state])).toEqual(ids.map((id) => [id, 'done']));
  });
});

describe('GET /exports/{org}/{export_id}', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/exports/${org}/00000000-0000-0000-0000-00000000`,
    needs: 'admin',
  });

  it('answers 404 for an unknown id, for other texts, and for an export of another organization', async () => {
    const [acme, other] = [await newOrganization(api), await newOrganization(api)];
    const id = idOf(await start(other));
    for (const unknown of [id, 'LATEST', 'x']) {
      const answer = await acme.get(`/exports/${acme.org}/${unknown}`);
      expect([answer.status, answer.json]).toEqual([404, { message: 'Export not found' }]);
    }
  });

  it('gives an address that serves the archive in ranges, under its name', async () => {
    const acme = await newOrganization(api);
    const id = idOf(await start(acme));
    await exporter.run({ org: acme.id, id });
    const {
      download_url: address,
      filename,
      progress,
    } = (await acme.get(`/exports/${acme.org}/${id}`)).json as {
      download_url: string;
      filename: string;
      progress: { bytes: number };
    };
    const part = await fetch(address, { headers: { range: 'bytes=100-199' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${progress.bytes}`]);
    expect(part.headers.get('content-disposition')).toBe(`attachment; filename="${filename}"`);
    const whole = Buffer.from(await (await fetch(address)).arrayBuffer());
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(100, 200));
  });
});

describe('an export that is seven days old', () => {
  it('is not shown any more, and another one can be started after the database has removed it', async () => {
    const acme = await newOrganization(api);
    const id = idOf(await start(acme));
    await exporter.run({ org: acme.id, id });
    api.services.clock.advance(7 * 24 * 3600 * 1_000_000);
    expect((await acme.get(`/exports/${acme.org}/${id}`)).status).toBe(404);
    expect((await acme.get(`/exports/${acme.org}`)).json).toEqual({ exports: [] });
    await api.services.table.write({ remove: exportKey(acme.id, id) });
    expect((await start(acme)).status).toBe(202);
  });
});

describe('the command `export` of operators', () => {
  const run = (fields: Record<string, unknown>) =>
    heldTo('operator', OPERATOR_USES, () => runOperator(api.services, { command: 'export', ...fields }));

  it('starts an export, shows it, and gives its address', async () => {
    const acme = await newOrganization(api);
    const started = await run({ organization: acme.org });
    expect(started).toMatchObject({ ok: true, message: `Started an export of '${acme.org}'` });
    const { id } = started as unknown as ShownExport;
    expect(await run({ organization: acme.org })).toMatchObject({
      id,
      message: expect.stringContaining('runs already'),
    });
    expect(await run({ organization: acme.org, id })).toMatchObject({
      message: 'The export waits for its checkpoint',
    });
    await exporter.run({ org: acme.id, id });
    expect(await run({ organization: acme.org, id })).toMatchObject({
      message: 'The export is done',
      sha256: expect.any(String),
      download_url: expect.stringContaining('http'),
    });
    expect(await auditOf(acme)).toMatchObject([{ actor: { kind: 'operator' } }]);
  });

  it('refuses unknown organizations and exports', async () => {
    const acme = await newOrganization(api);
    expect(await run({ organization: 'nobody' })).toMatchObject({ ok: false });
    expect(await run({ organization: acme.org, id: 'x' })).toMatchObject({ ok: false });
  });
});
