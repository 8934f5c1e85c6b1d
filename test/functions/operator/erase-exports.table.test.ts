import { describe, expect, it } from 'vitest';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { PAGES_MILLIS } from '#functions/exporter/work.ts';
import { exportsGroup } from '#functions/exports/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { plus } from '#shared/base/time.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import type { ExportFiles } from '#shared/bodies/export-files.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { exportsErasureWrite } from '#shared/exports/erase-exports.ts';
import { listRunningExports } from '#shared/exports/records/export-writes.ts';
import { readExport } from '#shared/exports/records/exports.ts';
import { PROBLEMS } from '#shared/exports/rules/sentences.ts';
import { testApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { readBag } from '#test/support/log/read-tar.ts';

const api = await testApi([flowsGroup, trailsGroup, attestationsGroup, exportsGroup, auditGroup]);
const { table, files, clock } = api.services;
const exporter = exporterOf(api.services);
const MINUTE = 60_000_000;
const REASON = 'a secret was attached';
/** Readings of the clock: each call makes some pages. */
const SOME_PAGES = [...Array<number>(8).fill(0), PAGES_MILLIS];

interface ShownExport {
  id: string;
  state: string;
  download_url: string;
}

/** An organization whose attestation has a secret in its facts and in a file. */
async function withSecret() {
  const acme = await newOrganization(api);
  const secret = `p4ssw0rd of ${acme.org}`;
  const fields = { attestation_name: 'check', user_data: { secret } };
  await acme.attest('generic', fields, { files: { attachment_file: secret } });
  const [record] = await acme.named('check');
  return { acme, secret, id: String(record?.['attestation_id']) };
}

async function erase(acme: EvidenceOfOrganization, fields: Record<string, unknown>, services = api.services) {
  clock.advance(2 * MINUTE);
  const command = { command: 'erase-body', organization: acme.org, reason: REASON, ...fields };
  return heldTo('operator', OPERATOR_USES, () => runOperator(services, command));
}

async function start(acme: EvidenceOfOrganization): Promise<string> {
  const { status, text, json } = await acme.call('POST', `/exports/${acme.org}`);
  expect(status, text).toBe(202);
  return (json as ShownExport).id;
}

const shown = async (acme: EvidenceOfOrganization, id: string) => {
  const { status, json } = await acme.get(`/exports/${acme.org}/${id}`);
  return { status, json: json as ShownExport };
};

async function finished(acme: EvidenceOfOrganization): Promise<ShownExport> {
  const id = await start(acme);
  await exporter.run({ org: acme.id, id });
  return (await shown(acme, id)).json;
}

async function textOf({ download_url: address }: ShownExport): Promise<string> {
  const { files: content } = await readBag(Buffer.from(await (await fetch(address)).arrayBuffer()));
  return [...content.values()].map(String).join('\n');
}

const removalsOf = async (acme: EvidenceOfOrganization) => {
  const { json } = await acme.get(`/audit/${acme.org}`, 'kind=evidence');
  return (json as { entries: { subject: { type: string } }[] }).entries.filter(
    ({ subject }) => subject.type === 'exports',
  );
};

/** Nothing of the export is left, and it is nobody's any more. */
async function expectGone(acme: EvidenceOfOrganization, id: string): Promise<void> {
  expect(await shown(acme, id)).toEqual({
    status: 410,
    json: {
      message: expect.stringMatching(
        /^This export was erased at 20\d\d-.*Z, because a text that it can hold was erased: a secret was attached\. Start a new export$/,
      ),
    },
  });
  expect(await files.versions(acme.id, id as never)).toEqual([]);
  const record = await readExport(table, acme.id, id);
  expect(record).toMatchObject({ state: 'erased', owner: null, progress: { hash: null, manifestHash: null } });
  const upload = record?.progress.upload;
  if (upload) {
    const part = files.putPart(acme.id, id as never, { upload, number: 1 }, Buffer.from('x'));
    await expect(part).rejects.toMatchObject({ name: 'NoSuchUpload' });
  }
  const running = await listRunningExports(table, plus(clock.now(), 2 * MINUTE), 100);
  expect(running.filter((one) => one.id === id)).toEqual([]);
}

describe('erase-body, with exports that were started before', () => {
  it('removes finished exports: no new address, and addresses that were handed out lead nowhere', async () => {
    const { acme, secret, id } = await withSecret();
    const [first, second] = [await finished(acme), await finished(acme)];
    expect(await textOf(first)).toContain(secret);
    expect((await fetch(second.download_url)).status).toBe(200);

    const done = await erase(acme, { kind: 'attestation', id });
    expect(done).toMatchObject({
      ok: true,
      message: 'Erased one record. Removed 2 exports that could hold the text',
      removed_exports: 2,
    });
    for (const one of [first, second]) {
      expect((await fetch(one.download_url)).status).toBe(404);
      await expectGone(acme, one.id);
    }
    const { exports } = (await acme.get(`/exports/${acme.org}`)).json as { exports: ShownExport[] };
    const erased = { at: expect.any(Number), reason: REASON };
    expect(exports).toMatchObject([
      { id: second.id, state: 'erased', erased },
      { id: first.id, state: 'erased', erased },
    ]);
    expect(await removalsOf(acme)).toMatchObject([
      {
        kind: 'evidence.erased',
        actor: { kind: 'operator' },
        subject: { type: 'exports', name: '2 exports' },
        after: { reason: REASON, exports: 2, ids: [first.id, second.id] },
      },
    ]);
    const command = { command: 'export', organization: acme.org, id: first.id };
    expect(await heldTo('operator', OPERATOR_USES, () => runOperator(api.services, command))).toMatchObject({
      ok: false,
      message: expect.stringContaining('This export was erased'),
    });
  });

  it('leaves exports that are started afterwards, also if the command is repeated', async () => {
    const { acme, secret, id } = await withSecret();
    await finished(acme);
    await erase(acme, { kind: 'attestation', id });
    await erase(acme, { kind: 'attachment', id, file: 'attachment_file' });
    const later = await finished(acme);
    expect(await textOf(later)).not.toContain(secret);
    const again = await erase(acme, { kind: 'attestation', id });
    expect(again).toMatchObject({ message: 'Nothing was left to erase in the table', removed_exports: 0 });
    expect((await fetch(later.download_url)).status).toBe(200);
    expect(await removalsOf(acme)).toHaveLength(1);
  });

  it('ends a running export between two steps', async () => {
    const { acme, id } = await withSecret();
    const running = await start(acme);
    const message = { org: acme.id, id: running };
    await logEverything(api.services, acme.id);
    for (let i = 0; i < 2; i += 1) await exporter.work(message, SOME_PAGES);
    expect((await files.versions(acme.id, running as never)).length).toBeGreaterThan(4);
    expect(await erase(acme, { kind: 'attestation', id })).toMatchObject({ removed_exports: 1 });
    await expectGone(acme, running);
    await exporter.run(message);
    expect(exporter.logged.at(-1)).toMatchObject({ level: 'INFO', outcome: 'erased' });
    await expectGone(acme, running);
    expect(await start(acme)).not.toBe(running);
  });

  const CALLS = ['begin', 'putPart', 'putNote', 'getNote', 'list', 'read', 'complete'] as const;
  it.each(CALLS.flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const]))(
    'ends an export whose worker calls %s while the erasure runs %s this call',
    async (call, when) => {
      const { acme, secret, id } = await withSecret();
      const running = await start(acme);
      let erasures = 0;
      const eraseOnce = async () => {
        if (erasures++ === 0) await erase(acme, { kind: 'attestation', id });
      };
      const racing = new Proxy(files, {
        get(target, name) {
          const value = Reflect.get(target, name, target) as (...args: unknown[]) => Promise<unknown>;
          if (name !== call) return typeof value === 'function' ? value.bind(target) : value;
          return async (...args: unknown[]) => {
            if (when === 'before') await eraseOnce();
            const result = await Reflect.apply(value, target, args);
            if (when === 'after') await eraseOnce();
            return result;
          };
        },
      }) satisfies ExportFiles;
      const worker = exporterOf(api.services, { files: racing });
      await worker.run({ org: acme.id, id: running }, SOME_PAGES);
      expect(erasures).toBeGreaterThan(0);
      expect(worker.logged.at(-1)).toMatchObject({ level: 'INFO', outcome: 'erased' });
      await expectGone(acme, running);
      expect(await textOf(await finished(acme))).not.toContain(`"secret":"${secret}"`);
    },
  );

  it('lets no archive be finished that can hold records from before and after an erasure', async () => {
    const { acme } = await withSecret();
    const running = await start(acme);
    await logEverything(api.services, acme.id);
    await exporter.work({ org: acme.id, id: running }, SOME_PAGES);
    await table.write(exportsErasureWrite(acme.id, { at: clock.now(), reason: REASON }));
    await exporter.run({ org: acme.id, id: running });
    expect((await shown(acme, running)).json).toMatchObject({
      state: 'failed',
      problem: PROBLEMS.erasure,
      download_url: null,
    });
    clock.advance(MINUTE);
    expect(await finished(acme)).toMatchObject({ state: 'done' });
  });

  it('finishes a removal that was interrupted, when any erasure of the organization follows', async () => {
    const { acme, id } = await withSecret();
    const export_ = await finished(acme);
    const broken = new Proxy(files, {
      get: (target, name) =>
        name === 'versions' ? () => Promise.reject(new Error('interrupted')) : Reflect.get(target, name, target),
    });
    await expect(erase(acme, { kind: 'attestation', id }, { ...api.services, files: broken })).rejects.toThrow(
      'interrupted',
    );
    expect((await shown(acme, export_.id)).status).toBe(410);
    expect((await fetch(export_.download_url)).status).toBe(200);
    await erase(acme, { kind: 'attestation', id });
    expect((await fetch(export_.download_url)).status).toBe(404);
    await expectGone(acme, export_.id);
  });

  it('keeps an erased file that Object Lock holds out of later exports', async () => {
    const { acme, secret, id } = await withSecret();
    await erase(acme, { kind: 'attestation', id });
    const locked = new Proxy(api.services.objects, {
      get: (target, name) => (name === 'removeVersion' ? async () => false : Reflect.get(target, name, target)),
    }) satisfies Objects;
    const fields = { kind: 'attachment', id, file: 'attachment_file' };
    expect(await erase(acme, fields, { ...api.services, objects: locked })).toMatchObject({
      locked_objects: [`evidence/${acme.id}/${sha256Hex(secret)}`],
    });
    const later = await finished(acme);
    expect(await textOf(later)).not.toContain(secret);
  });
});
