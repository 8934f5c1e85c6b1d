import { describe, expect, it } from 'vitest';
import { storedId } from '#shared/base/ids.ts';
import { readSecrets } from '#shared/notifications/records/action-secrets.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { anOrganization, twoTables } from './two-tables.ts';

const tables = await twoTables();
const { restored, restore, reapply, operate, old } = tables;
const { table: to, clock } = restored.services;
const SECRET = 'p4ssw0rd-of-the-registry';

const idOf = async (name: string) => storedId<never>((await new Directory(to).organization(name))?.id ?? '');

describe('reapplyEnds, erasures', () => {
  it('erases texts and files again, and names why and when they were erased first', async () => {
    const acme = await anOrganization(tables);
    await acme.send('PUT', '/flows/ORG', { json: { name: 'web', description: SECRET } });
    const trail = { data_json: JSON.stringify({ name: 'run', description: SECRET }) };
    await acme.send('PUT', '/trails/ORG/web', { form: { fields: trail } });
    const attest = (name: string, files: Record<string, string>) =>
      acme.send('POST', '/attestations/ORG/web/trail/run/generic', {
        form: {
          fields: {
            data_json: JSON.stringify({ attestation_name: name, is_compliant: true, user_data: { [name]: SECRET } }),
          },
          files,
        },
      });
    await attest('facts', {});
    await attest('file', { attachment_file: SECRET });
    await attest('kept', { attachment_file: 'all tests passed' });
    const listed = (await acme.send('GET', '/attestations/ORG')) as unknown as { data: Record<string, string>[] };
    const byName = (name: string) => listed.data.find((one) => one['attestation_name'] === name)?.['attestation_id'];
    old.services.clock.advance(120_000_000);
    const since = await restore();
    const erase = (fields: Record<string, unknown>) =>
      operate({ command: 'erase-body', organization: acme.org, reason: 'a secret', ...fields });
    await erase({ kind: 'attestation', id: byName('facts') });
    await erase({ kind: 'attachment', id: byName('file'), file: 'attachment_file' });
    await erase({ kind: 'trail', flow: 'web', trail: 'run' });
    const there = async (name: string) =>
      (await acme.there('GET', `/attestations/${acme.org}/${byName(name)}/attachments/0`)).status;
    expect(await there('kept')).toBe(200);
    const { applied } = await reapply(since, { clock: old.services.clock });
    const own = applied.filter(({ organization }) => organization === acme.org);
    expect(own.map(({ kind, by }) => [kind, by])).toEqual(own.map(() => ['evidence.erased', 'operator']));
    expect(own.map(({ name }) => name.split(' ')[0])).toEqual(['attestation', 'attachments', 'trail']);
    const { text } = await acme.there('GET', '/attestations/ORG');
    expect(text.split(SECRET).length - 1).toBe(2);
    expect([await there('file'), await there('kept')]).toEqual([410, 200]);
    expect((await reapply(since, { clock: old.services.clock })).applied).toEqual([]);
  });
});

describe('reapplyEnds, actions', () => {
  const hook = (path: string) => ({ type: 'WEBHOOK', webhook: `https://hooks.example.com/${path}` });
  const action = (name: string, targets: unknown[]) => ({
    name,
    type: 'flow',
    flows: [],
    triggers: ['ON_ATTESTATION'],
    targets,
  });

  it('deletes a deleted action, takes out a target that was taken out, and replaces a rotated secret', async () => {
    const acme = await anOrganization(tables);
    const put = (name: string, targets: unknown[]) =>
      acme.send('PUT', '/actions/ORG/flows', { json: action(name, targets) });
    await put('gone', [hook('a')]);
    await put('fewer', [hook('a'), hook('b')]);
    await put('rotated', [hook('a')]);
    await put('same', [hook('a')]);
    const since = await restore();
    await acme.send('DELETE', '/actions/ORG/1', { text: 'null' });
    await put('fewer', [hook('b'), hook('c')]);
    const secret = await acme.send('POST', '/actions/ORG/3/signing-secret/rotate', { text: 'null' });
    await reapply(since);
    const id = await idOf(acme.org);
    const left = await Promise.all([1, 2, 3, 4].map((number) => findAction(to, id, number)));
    expect(left.map((one) => one?.targets.map(({ webhook }) => webhook))).toEqual([
      undefined,
      [hook('b').webhook],
      [hook('a').webhook],
      [hook('a').webhook],
    ]);
    expect((await readSecrets(to, id, 3, clock.now()))?.secret).toBe(secret['secret']);
  });
});

describe('reapplyEnds, archives', () => {
  it('archives flows, environments, controls and types again, and leaves the others', async () => {
    const acme = await anOrganization(tables);
    for (const name of ['gone', 'stays']) {
      await acme.send('PUT', '/flows/ORG', { json: { name } });
      await acme.send('PUT', '/environments/ORG', { json: { name, type: 'server', description: '' } });
      await acme.send('POST', '/controls/ORG', { json: { identifier: name, name } });
      const fields = { data_json: JSON.stringify({ name }) };
      await acme.send('POST', '/custom-attestation-types/ORG', { form: { fields } });
    }
    const since = await restore();
    await acme.send('PUT', '/flows/ORG/gone/archive', { text: 'null' });
    await acme.send('PUT', '/environments/ORG/gone/archive', { text: 'null' });
    await acme.send('POST', '/controls/ORG/gone/archive', { text: 'null' });
    await acme.send('POST', '/controls/ORG/stays/archive', { text: 'null' });
    await acme.send('POST', '/controls/ORG/stays/unarchive', { text: 'null' });
    await acme.send('PUT', '/custom-attestation-types/ORG/gone/archive', { text: 'null' });
    const { applied } = await reapply(since);
    expect(applied.filter(({ organization }) => organization === acme.org).map(({ kind }) => kind)).toEqual([
      'flow.archived',
      'environment.archived',
      'control.archived',
      'custom_type.archived',
    ]);
    const status = async (path: string) => (await acme.there('GET', path)).status;
    expect([await status('/flows/ORG/gone'), await status('/flows/ORG/stays')]).toEqual([404, 200]);
    expect([await status('/environments/ORG/gone'), await status('/environments/ORG/stays')]).toEqual([404, 200]);
    const control = async (name: string) => (await acme.there('GET', `/controls/ORG/${name}`)).json;
    expect([await control('gone'), await control('stays')]).toMatchObject([{ archived: true }, { archived: false }]);
  });
});

describe('reapplyEnds, recalls', () => {
  const leak = (reason: string, from: number | null = null) => ({ run: 'https://ci.example/runs/7', reason, from });

  it('makes recalls again that were made or changed after the instant, and deletes what was deleted', async () => {
    const acme = await anOrganization(tables);
    const at = (name: string) => `/recalls/${acme.org}/${name}`;
    await acme.send('PUT', at('kept'), { json: leak('kept') });
    await acme.send('PUT', at('changed'), { json: leak('changed') });
    await acme.send('PUT', at('deleted'), { json: leak('deleted') });
    const since = await restore();
    await acme.send('PUT', at('changed'), { json: leak('changed', 5) });
    await acme.send('DELETE', at('deleted'), { text: 'null' });
    await acme.send('PUT', at('made'), { json: leak('made') });
    await acme.send('PUT', at('made-and-deleted'), { json: leak('brief') });
    await acme.send('DELETE', at('made-and-deleted'), { text: 'null' });
    const { applied } = await reapply(since);
    const own = applied.filter(({ organization }) => organization === acme.org);
    expect(own.map(({ kind, name }) => [kind, name])).toEqual([
      ['recall.changed', 'changed'],
      ['recall.deleted', 'deleted'],
      ['recall.created', 'made'],
    ]);
    const { json } = await acme.there('GET', `/recalls/${acme.org}`);
    expect(json).toMatchObject({
      recalls: [
        { name: 'changed', from: 5, deleted: false, version: 2 },
        { name: 'deleted', deleted: true, version: 2 },
        { name: 'kept', deleted: false, version: 1 },
        { name: 'made', deleted: false, version: 1 },
      ],
    });
    expect((await reapply(since)).applied.filter(({ organization }) => organization === acme.org)).toEqual([]);
  });
});
