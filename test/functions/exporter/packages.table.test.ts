import { describe, expect, it } from 'vitest';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { TAR_END, tarEntry } from '#shared/exports/rules/tar.ts';
import { ALLOW_ALL, anEvaluation } from '#test/functions/evaluations/evaluations-api.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import { resealed } from '#test/verify/changed-export.ts';
import { ATTACHED, api, digestOf, packaged, released, verified } from './packaged.ts';

const linesOf = (files: ReadonlyMap<string, Buffer>, family: string) =>
  String(files.get(`data/records/${family}-0001.ndjson`) ?? '')
    .split('\n')
    .slice(0, -1);
const statementsOf = (files: ReadonlyMap<string, Buffer>) =>
  [...files.keys()].filter((path) => path.endsWith('.sigstore.json')).length;

const now = () => Math.floor(api.services.clock.now() / 1e6);

async function tarOf(files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const entries = await Promise.all([...files].map(([path, bytes]) => tarEntry(`folder/${path}`, bytes, 0)));
  return Buffer.concat([...entries, TAR_END]);
}

describe('a package', () => {
  it.each([
    ['a trail', { type: 'trail', flow: 'web', trail: 'run' }, { moments: 3, snapshots: 0, statements: 1 }],
    [
      'a trail without attachments',
      { type: 'trail', flow: 'web', trail: 'other' },
      { moments: 1, snapshots: 0, statements: 1 },
    ],
    [
      'an artifact',
      { type: 'artifact', flow: 'web', fingerprint: fingerprintOf('web') },
      { moments: 3, snapshots: 0, statements: 1 },
    ],
    ['a snapshot', { type: 'snapshot', environment: 'prod', index: 1 }, { moments: 3, snapshots: 1, statements: 1 }],
  ])('made of %s holds its records, receipts, attachments and statement, and verifies', async (_, scope, expected) => {
    const acme = await released();
    const { done, tar, files, faults, folder } = await packaged(acme, scope);
    expect(faults).toEqual([]);
    expect(done).toMatchObject({ scope, log: { covers_start: true }, filename: `${folder}.tar` });
    expect({
      moments: linesOf(files, 'moments').length,
      snapshots: linesOf(files, 'snapshots').length,
      statements: statementsOf(files),
    }).toEqual(expected);
    const file = files.get(`data/files/${digestOf(ATTACHED)}`);
    expect(file?.toString()).toBe(expected.moments > 1 ? ATTACHED : undefined);
    const { counts, exceptions } = await verified(done.log, tar);
    expect(counts).toMatchObject({
      package: done.about,
      'receipts verified': expected.moments + expected.snapshots,
      'attachments verified': expected.moments > 1 ? 1 : 0,
      'statements verified': 1,
      'texts marked as erased': 0,
    });
    expect(exceptions).toEqual([
      expect.stringMatching(/^not covered: data\/README/),
      'which records the package holds is the choice of the service',
    ]);
  });

  it('made of a period holds the snapshots that held in it, and says so if there were none', async () => {
    const acme = await released();
    const scope = { type: 'period', environment: 'prod', start_ts: now() - 60, end_ts: now() + 999 };
    const { done, tar, files } = await packaged(acme, scope);
    expect([linesOf(files, 'snapshots').length, linesOf(files, 'moments').length]).toEqual([1, 3]);
    expect((await verified(done.log, tar)).counts).toMatchObject({ 'receipts verified': 4 });
  });

  it('made of an evaluation holds the evaluation with its texts and the trails that it read', async () => {
    const acme = await released();
    const json = anEvaluation({ policy: { files: { 'policy.rego': ALLOW_ALL } } });
    const { id } = (await acme.call('POST', `/evaluations/${acme.org}`, { json })).json as { id: string };
    expect(await processEvaluation(api.services, acme.id, id)).toBe('completed');
    const { done, tar, files } = await packaged(acme, { type: 'evaluation', evaluation: id });
    expect([linesOf(files, 'evaluations').length, statementsOf(files)]).toEqual([1, 1]);
    expect((await verified(done.log, tar)).scope).toContainEqual(
      expect.objectContaining({ name: 'evaluations/evaluation', proved: 1 }),
    );
  });

  it('is the same archive if it is made in many steps', async () => {
    const acme = await released();
    const { done, tar, faults } = await packaged(
      acme,
      { type: 'snapshot', environment: 'prod', index: 1 },
      [0, 99_999],
    );
    expect(faults).toEqual([]);
    expect((await verified(done.log, tar)).counts).toMatchObject({ 'receipts verified': 4 });
  });
});

interface PackageLine {
  log_index: number;
  header: { at: number };
  texts: Record<string, { text?: string; erased?: true }>;
  files?: { text: string }[];
}

/** Returns a line that is there. */
function lineOf(lines: readonly PackageLine[], number: number): PackageLine {
  const line = lines[number - 1];
  if (!line) throw new Error(`There is no line ${number}`);
  return line;
}

describe('the verifier', () => {
  it('names each file of a package of which a byte was changed', async () => {
    const acme = await released();
    const { done, files } = await packaged(acme, { type: 'snapshot', environment: 'prod', index: 1 });
    for (const [path, bytes] of files) {
      const changed = Buffer.from(bytes);
      const at = changed.length - 3;
      changed[at] = (changed[at] ?? 0) ^ 1;
      const fault = await verified(done.log, await tarOf(new Map([...files, [path, changed]]))).catch((error) => error);
      expect([path, fault.place, fault.message].join(' '), path).toContain(
        path === 'bag-info.txt' ? 'bag-info' : path.replace(/^data\//, ''),
      );
      expect(fault.name, path).toBe('Fault');
    }
  });

  it('finds what was changed by somebody who writes the manifest again', async () => {
    const acme = await released();
    const { done, files } = await packaged(acme, { type: 'trail', flow: 'web', trail: 'run' });
    const path = 'data/records/moments-0001.ndjson';
    const lines = linesOf(files, 'moments').map((line) => JSON.parse(line) as PackageLine);
    const fault = async (change: (changed: Map<string, Buffer>) => void) => {
      const changed = new Map(files);
      change(changed);
      const error = await verified(done.log, await tarOf(resealed(changed))).catch((caught) => caught);
      return `${error.place}: ${error.message}`;
    };
    const withLines = (edit: (copy: PackageLine[]) => PackageLine[]) => (changed: Map<string, Buffer>) => {
      const text = edit(structuredClone(lines)).map((line) => `${JSON.stringify(line)}\n`);
      changed.set(path, Buffer.from(text.join('')));
    };
    const attached = `data/files/${digestOf(ATTACHED)}`;
    const [receipt = ''] = [...files.keys()].filter((one) => one.startsWith('data/receipts/'));
    expect(
      await fault(
        withLines((copy) => {
          Object.assign(lineOf(copy, 3).texts['facts'] ?? {}, { text: ' ' });
          return copy;
        }),
      ),
    ).toBe(`${path}: line 3: the text 'facts' is not the one that the entry commits to`);
    expect(
      await fault(
        withLines((copy) => {
          lineOf(copy, 1).texts['moment'] = { erased: true };
          return copy;
        }),
      ),
    ).toContain("the text 'moment' is marked as erased, and no erasure removes this text");
    expect(
      await fault(
        withLines((copy) => {
          Object.assign(lineOf(copy, 3).files?.[0] ?? {}, { text: digestOf('other') });
          return copy;
        }),
      ),
    ).toContain("the text 'file 1' is not the one");
    expect(
      await fault(
        withLines((copy) => {
          lineOf(copy, 2).header.at += 1;
          return copy;
        }),
      ),
    ).toContain('line 2: the header is not that of the entry');
    expect(await fault(withLines((copy) => copy.slice(0, 2)))).toContain('no line of the records has this entry');
    expect(
      await fault((changed) => {
        withLines((copy) => copy.slice(1))(changed);
        changed.delete(`data/receipts/${lines[0]?.log_index}.tlog-proof`);
      }),
    ).toContain('is the first one here, and those before are missing');
    expect(await fault((changed) => changed.delete(receipt))).toContain('the package has no receipt of entry');
    expect(await fault((changed) => changed.delete(attached))).toContain(`${attached}: the file is missing`);
    expect(await fault((changed) => changed.set('data/files/notes', Buffer.from('x')))).toContain(
      'a package has no such file',
    );
    expect(await fault((changed) => changed.set(`data/files/${digestOf('x')}`, Buffer.from('x')))).toContain(
      'no record has this attachment',
    );
    const [bundle = ''] = [...files.keys()].filter((one) => one.endsWith('.sigstore.json'));
    expect(
      await fault((changed) => {
        const json = JSON.parse(String(files.get(bundle)));
        json.dsseEnvelope.payload = Buffer.from('{}').toString('base64');
        changed.set(bundle, Buffer.from(JSON.stringify(json)));
      }),
    ).toContain(`${bundle}: the logged digest is not that of the statement`);
  });

  it('says that an archive is cut off, and refuses another format', async () => {
    const acme = await released();
    const { done, tar, files } = await packaged(acme, { type: 'trail', flow: 'web', trail: 'other' });
    for (const length of [tar.length >> 1, tar.length - 3000]) {
      await expect(verified(done.log, tar.subarray(0, length))).rejects.toThrow(/cannot be read|missing|no .*file/i);
    }
    const info = String(files.get('bag-info.txt')).replace('Package-Format: 1', 'Package-Format: 2');
    const newer = await tarOf(new Map([...files, ['bag-info.txt', Buffer.from(info)]]));
    await expect(verified(done.log, newer)).rejects.toThrow("the package has the format '2'");
  });
});
