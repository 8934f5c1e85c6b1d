import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { namedFlows, readHead } from '#shared/evidence/records/flows.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { checkpointKey, cosignedKey } from '#shared/log/records/keys.ts';
import { auditEntry, auditHash } from '#shared/organizations/records/audit.ts';
import { parseProofFile } from '#shared/tlog/proof-file.ts';
import { describeAccess } from '#test/support/access.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { environmentsOfOrganization } from '#test/support/environments.ts';
import { invalidFields, refusal } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { integrateStored, trailEntries } from '#test/support/log/log.ts';
import { loggedOrganization, momentsOf, receiptsApi, receiptsOf } from '#test/support/log/receipts.ts';

const { api, integrator } = await receiptsApi();
const { table, clock } = api.services;
const acme = await loggedOrganization(api, integrator);

describe('GET /receipts/{org}/trails/{flow}/{trail}/{number}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/receipts/${org}/trails/web/run/1`, needs: 'reader' });

  it('answers a proof of each moment, which verifies with the key of the log and has the hash that the write answered', async () => {
    for (const [i, write] of Object.values(acme.writes).entries()) {
      expect(receiptsOf(write)).toEqual([`trails/web/run/${i + 1}`]);
      const { status, headers, text } = await acme.get(receiptsOf(write)[0] ?? '');
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/plain; charset=utf-8',
        'no-store',
      ]);
      expect([acme.verified(text)]).toEqual(momentsOf(write));
    }
  });

  it('answers JSON with the header and with texts that fit every commitment', async () => {
    const names: string[][] = [];
    for (const [i, write] of Object.values(acme.writes).entries()) {
      const { proof, index, size, hash, header, openings } = await acme.getJson(`trails/web/run/${i + 1}`);
      expect([hash, acme.verified(proof)]).toEqual([momentsOf(write)[0], hash]);
      expect([index, parseProofFile(proof).index, size, header.number]).toEqual([index, index, 6, i + 1]);
      const computed = openings.map(({ name, salt, text }) => [name, hmacOf(salt, text)]);
      expect(Object.fromEntries(computed)).toEqual(header.commitments);
      names.push(Object.keys(header.commitments).toSorted());
    }
    expect(names).toEqual([
      ['details', 'fields', 'moment'],
      ['details', 'facts', 'moment', 'record'],
      ['details', 'facts', 'moment', 'record'],
      ['details', 'fields', 'moment'],
    ]);
  });

  it.each<[string | undefined, string]>([
    [undefined, 'text/plain; charset=utf-8'],
    ['*/*', 'text/plain; charset=utf-8'],
    ['text/html', 'text/plain; charset=utf-8'],
    ['application/json;q=0.5, text/*', 'text/plain; charset=utf-8'],
    ['application/json, text/plain;q=0.9, */*', 'application/json'],
  ])('answers to Accept %s with %s', async (accept, type) => {
    expect((await acme.get('trails/web/run/1', accept)).headers['content-type']).toBe(type);
  });

  it('has no line that may be changed', async () => {
    const { text } = await acme.get('trails/web/run/2');
    const lines = text.split('\n');
    for (const [i, line] of lines.entries()) {
      if (line === '') continue;
      const at = Math.floor(line.length / 2);
      const changed = line.slice(0, at) + (line[at] === 'A' ? 'B' : 'A') + line.slice(at + 1);
      expect(() => acme.verified(lines.with(i, changed).join('\n')), line).toThrow();
    }
  });

  it('answers 202 until a checkpoint covers the moment', async () => {
    const fresh = await environmentsOfOrganization(api);
    const [path = ''] = receiptsOf(await fresh.begin({}));
    const get = (accept: string) => fresh.call('GET', `/receipts/${fresh.org}/${path}`, { headers: { accept } });
    const sentence = 'No checkpoint of the log covers this record yet. Ask again after the seconds in Retry-After';
    const [text, json] = [await get('text/plain'), await get('application/json')];
    expect([text.status, text.headers['retry-after'], text.text]).toEqual([202, '2', `${sentence}\n`]);
    expect([json.status, json.headers['retry-after'], json.json]).toEqual([202, '2', { message: sentence }]);
    await integrateStored(integrator, fresh.id);
    expect((await get('text/plain')).status).toBe(200);
  });

  it('answers 404 for what does not exist', async () => {
    const sentence = (flow: string, trail: string, number: number) => [
      404,
      { message: `Organization '${acme.org}' has no moment ${number} of a trail '${trail}' in a flow '${flow}'` },
    ];
    expect(refusal(await acme.get('trails/web/run/5'))).toEqual(sentence('web', 'run', 5));
    expect(refusal(await acme.get('trails/web/other/1'))).toEqual(sentence('web', 'other', 1));
    expect(refusal(await acme.get('trails/none/run/1'))).toEqual(sentence('none', 'run', 1));
    expect(refusal(await acme.get('trails/web/a#b/1'))).toEqual(sentence('web', 'a#b', 1));
  });

  it.each(['0', '-1', '1.5', 'x', '9007199254740993'])('refuses the number %s', async (number) => {
    expect(refusal(await acme.get(`trails/web/run/${number}`))).toEqual(invalidFields({ number: expect.any(String) }));
    expect(refusal(await acme.get(`environments/prod/${number}`))).toEqual(
      invalidFields({ number: expect.any(String) }),
    );
  });

  it('finds a renamed flow by both names, and an archived flow by its long name', async () => {
    const other = await loggedOrganization(api, integrator);
    const before = await other.get('trails/web/run/1');
    const { flow } = (await other.getJson('trails/web/run/1')).header.subject;
    await other.call('PUT', `/flows/${other.org}/web/rename`, { json: { new_name: 'shop' } });
    expect((await other.get('trails/web/run/1')).text).toBe(before.text);
    expect((await other.get('trails/shop/run/1')).text).toBe(before.text);
    await other.call('PUT', `/flows/${other.org}/shop/archive`);
    expect((await other.get('trails/shop/run/1')).status).toBe(404);
    const archived = await readHead(table, other.id, flow);
    expect((await other.get(`trails/${archived?.name}/run/1`)).text).toBe(before.text);
  });

  it('prefers the newest cosigned checkpoint that covers the moment', async () => {
    const other = await loggedOrganization(api, integrator);
    const newest = await table.get(checkpointKey(other.id));
    await table.put({ ...newest, ...cosignedKey(other.id) });
    await other.begin({ description: 'f' });
    await integrateStored(integrator, other.id);
    expect(await other.getJson('trails/web/run/1')).toMatchObject({ size: 6 });
    expect(await other.getJson('trails/web/run/5')).toMatchObject({ index: 6, size: 7 });
    expect(other.verified((await other.get('trails/web/run/1')).text)).toBe(momentsOf(other.writes.trail)[0]);
  });

  it('refuses with 500 if the stored moment is not the one that was logged', async () => {
    const other = await loggedOrganization(api, integrator);
    const { index, header } = await other.getJson('trails/web/run/2');
    await table.update(momentKey(other.id, header.subject.flow, testName('run'), 2), {
      UpdateExpression: 'SET #at = #at + :one',
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: { ':one': 1 },
    });
    expect(refusal(await other.get('trails/web/run/2'))).toEqual([
      500,
      {
        message: `The stored record differs from entry ${index} of the log: the record was changed after it was accepted`,
      },
    ]);
    expect((await other.get('trails/web/run/1')).status).toBe(200);
  });

  it('reads a tile and stored roots, and takes 4 calls, and 5 if the flow or the environment is not known yet', async () => {
    const other = await loggedOrganization(api, integrator);
    await integrator.integrate(other.id, trailEntries(other.id, 'filler', 800));
    const callsOf = async (path: string) => {
      const { status, text } = await other.get(path);
      expect([status, path, other.verified(text)]).toEqual([200, path, expect.any(String)]);
      return (api.entries.at(-1) as unknown as { aws_calls: number }).aws_calls;
    };
    const [moment, snapshot] = ['trails/web/run/2', 'environments/prod/1'];
    expect([await callsOf(moment), await callsOf(snapshot)]).toEqual([4, 4]);
    namedFlows.forget(other.id, testName('web'));
    expect(await callsOf(moment)).toBe(5);
  });
});

const hmacOf = (salt: string | null, text: string | null) =>
  createHmac('sha256', Buffer.from(salt ?? '', 'hex'))
    .update(text ?? '')
    .digest('hex');

describe('GET /receipts/{org}/environments/{env_name}/{number}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/receipts/${org}/environments/prod/1`, needs: 'reader' });

  it('answers a proof of each snapshot, with texts that fit every commitment', async () => {
    for (const [i, report] of acme.reports.entries()) {
      const [path = ''] = receiptsOf(report);
      expect(path).toBe(`environments/prod/${i + 1}`);
      const { text } = await acme.get(path);
      expect([acme.verified(text)]).toEqual(momentsOf(report));
      const { proof, header, openings } = await acme.getJson(path);
      expect(proof).toBe(text);
      const computed = openings.map(({ name, salt, text: opened }) => [name, hmacOf(salt, opened)]);
      expect(Object.fromEntries(computed)).toEqual(header.commitments);
      expect(Object.keys(header.commitments).toSorted()).toEqual(['content', 'summary']);
    }
  });

  it('answers 404 for what does not exist', async () => {
    expect(refusal(await acme.get('environments/prod/3'))).toEqual([
      404,
      { message: `Environment 'prod' of organization '${acme.org}' has no snapshot 3` },
    ]);
    expect(refusal(await acme.get('environments/none/1'))).toEqual([
      404,
      { message: `Environment named 'none' does not exist for organization '${acme.org}'` },
    ]);
  });

  it('finds a renamed environment by both names, and an archived one', async () => {
    const other = await loggedOrganization(api, integrator);
    const before = await other.get('environments/prod/2');
    await other.call('PUT', `/environments/${other.org}/prod/rename`, { json: { new_name: 'live' } });
    expect((await other.get('environments/live/2')).text).toBe(before.text);
    expect((await other.get('environments/prod/2')).text).toBe(before.text);
    expect((await other.call('PUT', `/environments/${other.org}/live/archive`)).status).toBe(200);
    expect((await other.get('environments/live/2')).text).toBe(before.text);
  });
});

describe('GET /receipts/{org}/audit/{entry_id}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/receipts/${org}/audit/x`, needs: 'admin' });

  it('answers a proof of an entry, with the text that fits its commitment', async () => {
    const [record] = await acme.audited('environment.created');
    const entry = record && auditEntry(acme.id, record);
    if (!entry) throw new Error('The entry is missing');
    const path = `audit/${record.id}`;
    expect((await acme.get(path)).status).toBe(202);
    await integrator.integrate(acme.id, [entry]);
    const { proof, hash, header, openings } = await acme.getJson(path);
    expect([acme.verified(proof), hash]).toEqual([hash, auditHash(acme.id, record)]);
    expect(header.subject).toEqual({ entry: record.id });
    const opened = openings.map(({ name, salt, text }) => [name, hmacOf(salt, text)]);
    expect(Object.fromEntries(opened)).toEqual(header.commitments);
    const [lasting, values] = openings.map(({ text }) => JSON.parse(text ?? ''));
    expect(lasting).toMatchObject({ subject: { name: 'prod' } });
    expect(values).toMatchObject({ before: null, after: { type: 'server' } });
    expect((await acme.get(path)).text).toBe(proof);
  });

  it.each(['x', '01a202d7-1eb3-a1de-b5e9-b0bde055'])('answers 404 for the id %s, which no entry has', async (id) => {
    expect(refusal(await acme.get(`audit/${id}`))).toEqual([
      404,
      { message: `The audit log of organization '${acme.org}' has no entry '${id}'` },
    ]);
  });
});

describe('openings of erased texts', () => {
  it('are null, with when and why, and the proofs stay as they were', async () => {
    const other = await loggedOrganization(api, integrator);
    const before = await other.get('trails/web/run/3');
    const [attestation] = await other.named('lint');
    const erase = (fields: Record<string, unknown>) => {
      clock.advance(120_000_000);
      const command = { command: 'erase-body', organization: other.org, reason: 'a secret', ...fields };
      return heldTo('operator', OPERATOR_USES, () => runOperator(api.services, command));
    };
    expect(await erase({ kind: 'attestation', id: attestation?.['attestation_id'] })).toMatchObject({ ok: true });
    const { proof, header, openings } = await other.getJson('trails/web/run/3');
    expect(proof).toBe(before.text);
    expect(openings.map(({ name }) => name).toSorted()).toEqual(Object.keys(header.commitments).toSorted());
    expect(openings.find(({ name }) => name === 'facts')).toEqual({
      name: 'facts',
      salt: null,
      text: null,
      erased: { at: expect.any(Number), reason: 'a secret' },
    });
    expect(await erase({ kind: 'trail', flow: 'web', trail: 'run' })).toMatchObject({ ok: true });
    for (const number of [1, 4]) {
      const { openings: all, header: kept } = await other.getJson(`trails/web/run/${number}`);
      const lasting = all.filter(({ name }) => name === 'moment');
      expect(lasting.map(({ salt, text }) => hmacOf(salt, text))).toEqual([kept.commitments['moment']]);
      const gone = all.filter(({ name }) => name !== 'moment');
      expect(gone.map(({ name, salt, text }) => [name, salt, text]).toSorted()).toEqual([
        ['details', null, null],
        ['fields', null, null],
      ]);
      expect(gone).toEqual(gone.map((one) => ({ ...one, erased: { at: expect.any(Number), reason: 'a secret' } })));
    }
  });
});
