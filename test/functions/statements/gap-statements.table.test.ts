import { describe, expect, it } from 'vitest';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { expectationsGroup } from '#functions/expectations/endpoints.ts';
import { exportsGroup } from '#functions/exports/endpoints.ts';
import { logGroup } from '#functions/log/endpoints.ts';
import { statementsGroup } from '#functions/statements/endpoints.ts';
import { AuditRecord, auditHash } from '#shared/organizations/records/audit.ts';
import { keyIn } from '#shared/table/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { logEverything } from '#test/support/log/exports.ts';
import { findGaps } from '#test/support/records/gaps.ts';
import { itemsOf } from '#test/support/relay.ts';
import { expectingOrganization } from '../expectations/expectations-api.ts';
import { HEX, statementIn } from './stated-release.ts';
import { verifiedExport } from './verified-export.ts';

// rules/log.md#statement-of-a-gap

const api = await testApi([expectationsGroup, environmentsGroup, exportsGroup, logGroup, statementsGroup]);
const { table } = api.services;
const host = 'https://api.example';

/** An organization whose environment `prod` has not reported for an hour. */
async function withGap() {
  const acme = await expectingOrganization(api);
  await acme.put({ owner: 'team-web', severity: 'critical' });
  await acme.report('prod');
  await findGaps(api.services, acme.id);
  const gap = async () => {
    const { json } = await acme.call('GET', '/gaps/ORG');
    const [one] = (json as { gaps: Record<string, unknown>[] }).gaps;
    if (!one) throw new Error('There is no gap');
    return one;
  };
  const { id } = await gap();
  const state = (query = '') => acme.call('GET', `/gaps/ORG/${id}/statement`, { query });
  const itemOf = async (isWanted: (item: Item) => boolean): Promise<Item> => {
    const item = (await itemsOf(table.name, acme.id)).find(isWanted);
    if (!item) throw new Error('There is no such item');
    return item;
  };
  return {
    ...acme,
    gap,
    id: acme.id,
    state,
    said: async () => statementIn((await state()).json),
    log: () => logEverything(api.services, acme.id),
    excuse: (text: string) => acme.call('POST', `/gaps/ORG/${id}/excuse`, { json: { text } }),
    stored: () => itemOf(({ sk, expectation }) => sk === id && expectation !== undefined),
    entry: (kind: string) => itemOf((item) => item.pk.includes('#AUDIT#') && item['kind'] === kind),
  };
}

describe('GET /gaps/{org}/{gap_id}/statement', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/gaps/${org}/none/statement`, needs: 'reader' });

  it('states the gap as it is, with the entry of the audit log that covers it', async () => {
    const acme = await withGap();
    expect((await acme.state()).status).toBe(202);
    await acme.log();
    const gap = await acme.gap();
    const { status, json } = await acme.state();
    expect(status).toBe(200);
    const entry = AuditRecord.parse(await acme.entry('gap.opened'));
    const sha256 = auditHash(acme.id, entry);
    expect(statementIn(json)).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'alive', digest: { sha256 } }],
      predicateType: `${host}/gap/v1`,
      predicate: {
        verifier: { id: `${host}/verifier/v1` },
        resourceUri: `${host}/api/v2/gaps/${acme.org}/${gap['id']}`,
        inputAttestations: [
          {
            uri: `${host}/api/v2/receipts/${acme.org}/audit/${entry.id}`,
            digest: { sha256: expect.stringMatching(HEX) },
          },
        ],
        expectation: {
          uri: `${host}/api/v2/expectations/${acme.org}/alive`,
          name: 'alive',
          version: 1,
          kind: 'reports',
          severity: 'critical',
          owner: 'team-web',
          every_seconds: 1200,
          grace_seconds: 120,
        },
        subject: { type: 'environment', environment: 'prod' },
        state: gap['state'],
        as_of: gap['detected_at'],
        from: gap['from'],
        detected_at: gap['detected_at'],
        until: null,
        ended: null,
        last_before: { at: (gap['last_before'] as { at: number }).at },
        first_after: null,
        unknown_seconds: gap['unknown_seconds'],
        explanation: null,
        [`${host}/nonce`]: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    });
  });

  it('answers the same bytes until the gap changes, and then another statement, which both stay verifiable', async () => {
    const acme = await withGap();
    await acme.log();
    const [first, again] = [await acme.state(), await acme.state()];
    expect([again.text, again.headers['x-statement-id']]).toEqual([first.text, first.headers['x-statement-id']]);
    expect((await acme.excuse('The cluster moved')).status).toBe(200);
    expect((await acme.state()).status).toBe(202);
    await acme.log();
    const excused = await acme.state();
    expect(excused.headers['x-statement-id']).not.toBe(first.headers['x-statement-id']);
    expect((await acme.said()).predicate).toMatchObject({
      state: 'excused',
      until: null,
      explanation: { text: 'The cluster moved', at: expect.any(Number) },
    });
    await acme.log();
    const bundle = await acme.state('format=sigstore');
    expect([bundle.status, (bundle.json as { dsseEnvelope: unknown }).dsseEnvelope]).toEqual([200, excused.json]);
    expect(await verifiedExport(api, acme)).toMatchObject({ statements: 2, 'statements verified': 2 });
  });

  it('is found among many entries of one instant', async () => {
    const acme = await withGap();
    await acme.log();
    const entry = await acme.entry('gap.opened');
    // The last digits of an id are random, so all of these come before it. One read has 200.
    const digits = Array.from({ length: 210 }, (_, i) => i.toString(16).padStart(8, '0'));
    await Promise.all(
      digits.map((one) => table.put({ ...entry, ...keyIn(entry.pk, entry.sk.slice(0, -8) + one), covers: [] })),
    );
    expect((await acme.state()).status).toBe(200);
  });

  it.each<[string, (acme: Awaited<ReturnType<typeof withGap>>) => Promise<Item>]>([
    ['the gap was changed', async (acme) => ({ ...(await acme.stored()), owner: 'nobody' })],
    ['the cover was changed', async (acme) => ({ ...(await acme.entry('gap.opened')), covers: [] })],
  ])('is refused if %s behind the service', async (_, changed) => {
    const acme = await withGap();
    await acme.log();
    await table.put(await changed(acme));
    const { status, json } = await acme.state();
    expect([status, (json as { message: string }).message]).toEqual([
      500,
      `No entry of the audit log covers the stored gap ${(await acme.gap())['id']}: it was changed afterwards, or its entry was`,
    ]);
  });

  it('is refused for a gap that there is not, also if another organization has it', async () => {
    const [acme, other] = [await withGap(), await expectingOrganization(api)];
    const { id } = await acme.gap();
    for (const unknown of ['none', id]) {
      const { status, json } = await other.call('GET', `/gaps/ORG/${unknown}/statement`);
      expect([status, json]).toEqual([
        404,
        { message: `Gap '${unknown}' does not exist in organization '${other.org}'`, ...requestId(json) },
      ]);
    }
    expect((await acme.state('format=pdf')).status).toBe(400);
  });
});

/** The id of the request that every refusal names. */
const requestId = (json: unknown) => {
  const { request_id } = json as { request_id?: string };
  return request_id === undefined ? {} : { request_id };
};
