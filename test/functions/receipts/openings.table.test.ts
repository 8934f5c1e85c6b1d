import { describe, expect, it } from 'vitest';
import { snapshotContentKey, snapshotKey } from '#shared/environments/records/keys.ts';
import { attestationKey, momentKey, trailFieldsKey, trailPartition } from '#shared/evidence/records/keys.ts';
import type { Item, Key } from '#shared/table/table.ts';
import { refusal } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { loggedOrganization, type ReceiptJson, receiptsApi } from '#test/support/log/receipts.ts';

// rules/log.md#openings

const { api, integrator } = await receiptsApi();
const { table } = api.services;

/** An organization in the log whose items a test changes. */
async function logged() {
  const acme = await loggedOrganization(api, integrator);
  const { flow } = (await acme.getJson('trails/web/run/1')).header.subject;
  const { environment } = (await acme.getJson('environments/prod/1')).header.subject as unknown as {
    environment: never;
  };
  const [attestation] = await acme.named('lint');
  const run = trailPartition(acme.id, flow, testName('run'));
  return {
    ...acme,
    keys: {
      moment: momentKey(acme.id, flow, testName('run'), 3),
      attestation: attestationKey(acme.id, attestation?.['attestation_id'] as never),
      fields: trailFieldsKey(run),
      snapshot: snapshotKey(acme.id, environment, 1),
      content: snapshotContentKey(acme.id, environment, 1),
    },
    async change(key: Key, change: (item: Item) => unknown) {
      const item = await table.get(key);
      if (!item) throw new Error(`There is no ${key.pk} / ${key.sk}`);
      await table.put({ ...item, ...(change(item) as object) });
    },
    opened: async (path: string) => refusal(await acme.get(path, 'application/json')),
  };
}

interface Body {
  salt: Uint8Array;
  data: Uint8Array;
  store: string;
  enc: string;
  size: number;
}
const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
const otherText = (body: Body): Body => {
  const data = Buffer.from('{"other":true}');
  return { ...body, enc: 'none', data, size: data.length };
};
const differs = (name: string, index: number) => [
  500,
  {
    message: `The stored text under '${name}' differs from entry ${index} of the log: it was changed after it was accepted`,
  },
];
const missing = (name: string, index: number) => [
  500,
  { message: `The text under '${name}' of entry ${index} of the log is missing, and no erasure removed it` },
];

describe('a receipt as JSON', () => {
  it.each([
    ['another text', (item: Item) => ({ facts: otherText(item['facts'] as Body) })],
    [
      'another salt',
      (item: Item) => ({ facts: { ...(item['facts'] as Body), salt: flipped((item['facts'] as Body).salt) } }),
    ],
  ])('refuses %s of a record', async (_, change) => {
    const acme = await logged();
    const { index, header } = await acme.getJson('trails/web/run/3');
    const name = 'facts' in header.commitments ? 'facts' : 'record';
    await acme.change(acme.keys.attestation, change);
    expect(await acme.opened('trails/web/run/3')).toEqual(differs(name, index));
    expect((await acme.get('trails/web/run/3')).status).toBe(200);
  });

  it('refuses a text that is gone without an erasure', async () => {
    const acme = await logged();
    const { index, header } = await acme.getJson('trails/web/run/3');
    const name = 'facts' in header.commitments ? 'facts' : 'record';
    await acme.change(acme.keys.attestation, (item) => ({ facts: { ...(item['facts'] as Body), store: 'erased' } }));
    expect(await acme.opened('trails/web/run/3')).toEqual(missing(name, index));
  });

  it('refuses other fields of the trail, and fields that are missing', async () => {
    const acme = await logged();
    const { index } = await acme.getJson('trails/web/run/4');
    await acme.change(acme.keys.fields, (item) => ({ body: otherText(item['body'] as Body) }));
    expect(await acme.opened('trails/web/run/4')).toEqual(differs('fields', index));
    await table.write({ remove: acme.keys.fields });
    expect(await acme.opened('trails/web/run/4')).toEqual([
      500,
      { message: `Entry ${index} is in the log, its record is gone` },
    ]);
  });

  it.each([
    ['content', 'content', (item: Item) => ({ body: otherText(item['body'] as Body) })],
    ['summary', 'snapshot', (item: Item) => ({ compliant: !item['compliant'] })],
  ] as const)('refuses another %s of a snapshot', async (name, key, change) => {
    const acme = await logged();
    const { index } = await acme.getJson('environments/prod/1');
    await acme.change(acme.keys[key], change);
    expect(await acme.opened('environments/prod/1')).toEqual(differs(name, index));
  });

  it('names the entry of a snapshot that has lost its content', async () => {
    const acme = await logged();
    const { index } = await acme.getJson('environments/prod/1');
    await table.write({ remove: acme.keys.content });
    expect(await acme.opened('environments/prod/1')).toEqual([
      500,
      { message: `Entry ${index} is in the log, its record is gone` },
    ]);
  });

  it('opens every commitment of the header', async () => {
    const acme = await logged();
    for (const path of ['trails/web/run/1', 'trails/web/run/3', 'environments/prod/1']) {
      const { header, openings }: ReceiptJson = await acme.getJson(path);
      expect(openings.map(({ name }) => name).sort()).toEqual(Object.keys(header.commitments).sort());
    }
  });
});
