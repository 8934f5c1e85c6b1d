import { describe, expect, it } from 'vitest';
import type { Feature } from '#shared/callers/roles.ts';
import { describeAccess } from '#test/support/access.ts';
import { refusal } from '#test/support/evidence.ts';
import { newTagsOrganization, tagsApi } from './tags-api.ts';

const api = await tagsApi();

async function withControl(features?: readonly Feature[]) {
  const acme = await newTagsOrganization(api, features);
  await acme.call('POST', `/controls/${acme.org}`, { json: { identifier: 'SDLC-1', name: 'Reviewed' } });
  return acme;
}

describe.each(['control', 'controls'])('PATCH /tags/{org}/%s/{resource_id}', (type) => {
  describeAccess(api, {
    method: 'PATCH',
    path: (org) => `/tags/${org}/${type}/SDLC-1`,
    request: { json: { set_tags: { a: '1' } } },
    needs: 'admin',
  });

  it('sets and removes tags, and adds no version to the control', async () => {
    const acme = await withControl();
    const path = `/controls/${acme.org}/SDLC-1`;
    expect(refusal(await acme.tag(type, 'SDLC-1', { set_tags: { a: '1', b: '1' } }))).toEqual([200, 'OK']);
    expect(refusal(await acme.tag(type, 'SDLC-1', { set_tags: { a: '2' }, remove_tags: ['b'] }))).toEqual([200, 'OK']);
    expect(await acme.tagsAt(path)).toEqual({ a: '2' });
    const { json } = await acme.get(path);
    expect((json as { version: number }).version).toBe(1);
  });

  it('answers a sentence in quotation marks for an unknown control', async () => {
    const acme = await withControl();
    for (const id of ['NOPE-1', 'a b']) {
      expect(refusal(await acme.tag(type, id, { set_tags: { a: '1' } }))).toEqual([
        404,
        { message: `"Control '${id}' does not exist in organization '${acme.org}'"` },
      ]);
    }
  });

  it('is forbidden while controls are off, before anything is read', async () => {
    const acme = await newTagsOrganization(api, []);
    expect(refusal(await acme.tag(type, 'SDLC-1', { set_tags: 7 }))).toEqual([403, { message: 'Forbidden' }]);
  });

  it('lets members tag flows', async () => {
    const acme = await withControl();
    await acme.putFlow('web');
    const request = { key: acme.keys.member };
    expect((await acme.tag(type, 'SDLC-1', { set_tags: { a: '1' } }, request)).status).toBe(403);
    expect((await acme.tag('flow', 'web', { set_tags: { a: '1' } }, request)).status).toBe(200);
  });
});
