import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { inlineText, StoredBody, sha256 } from '#shared/bodies/bodies.ts';
import type { Item } from '#shared/table/table.ts';
import { testApi } from '#test/support/api.ts';
import { resealed } from '#test/support/copies/resealed.ts';
import { anArtifact, fingerprintOf, newOrganization, OK, refusal } from '#test/support/evidence.ts';
import { scanItems } from '#test/support/table/scan-items.ts';
import { databaseAddress } from '#test/support/table.ts';

/** Records of an earlier release can contain half a surrogate pair (rules/requests.md#well-formed-text). */

const api = await testApi(groups);

/** The text that is replaced by half a pair in everything that is stored. */
const MARK = 'QqQ';
const HALF = '\ud83d';

/** Replaces the mark in all attributes, and in the texts of bodies. Keys stay, so that the records are found. */
function withHalves(item: Item): Item {
  const { pk, sk, ...attributes } = item;
  return { pk, sk, ...(replaced(attributes) as object) };
}

function replaced(value: unknown): unknown {
  if (typeof value === 'string')
    return value.startsWith('{') ? value.replaceAll(MARK, '\\ud83d') : value.replaceAll(MARK, HALF);
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(replaced);
  const { data: body } = StoredBody.safeParse(value);
  if (body?.data) {
    const data = Buffer.from(inlineText(body).replaceAll(MARK, '\\ud83d'));
    return { ...body, data, digest: sha256(data), size: data.length, enc: 'none' };
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member)]));
}

async function acmeWithHalves() {
  const acme = await newOrganization(api);
  const repo_info = { id: '1', name: `acme/${MARK}`, url: 'https://git.example/acme', description: MARK };
  const report = anArtifact('cli', { filename: `app-${MARK}.tar`, repo_info });
  expect(refusal(await acme.report(report))).toEqual(OK);
  const evidence = { attestation_name: 'scan', user_data: { note: MARK }, description: MARK };
  expect(refusal(await acme.attest('generic', evidence))).toEqual(OK);
  const control = { identifier: 'C-1', name: `control ${MARK}`, description: MARK };
  expect((await acme.call('POST', `/controls/${acme.org}`, { json: control })).status).toBe(201);
  const items = await scanItems(databaseAddress(), api.services.table.name, acme.id);
  const changed = resealed(items.map(withHalves));
  expect(changed.filter((item, i) => JSON.stringify(item) !== JSON.stringify(items[i])).length).toBeGreaterThan(5);
  for (const item of changed) await api.services.table.putMany([item]);
  return acme;
}

describe('a stored text with half a surrogate pair', () => {
  it('makes no list, record, search or statement fail, and leaves the service as U+FFFD', async () => {
    const acme = await acmeWithHalves();
    const { org } = acme;
    const fingerprint = fingerprintOf('cli');
    const paths = [
      `/flows/${org}`,
      `/trails/${org}/web`,
      `/trails/${org}/web/run`,
      `/artifacts/${org}/web`,
      `/artifacts/${org}/web/fingerprint/${fingerprint}`,
      `/asserts/${org}/fingerprint/${fingerprint}`,
      `/attestations/${org}/web/trail/run/scan`,
      `/repos/${org}`,
      `/controls/${org}`,
      `/controls/${org}/C-1`,
      `/search/${org}/sha/${fingerprint}`,
      `/audit/${org}`,
    ];
    const queries: [string, string][] = [
      [`/search/${org}`, 'q=app'],
      [`/search/${org}`, `q=${encodeURIComponent('acme/\ufffd')}`],
    ];
    const shown: string[] = [];
    for (const [path, query] of [...paths.map((path): [string, string] => [path, '']), ...queries]) {
      const answer = await acme.get(path, query);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.text).not.toMatch(/\\ud[89a-f]/i);
      if (/\ufffd|\\ufffd|%EF%BF%BD/.test(answer.text)) shown.push(path);
    }
    expect(shown.length).toBeGreaterThanOrEqual(4);
  });
});
