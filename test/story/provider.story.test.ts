import { describe, expect, it } from 'vitest';
import { ORG, providerStory, type Tags } from './provider.ts';

/** Each test makes the calls of the provider in its order: create, read, change, import, destroy, read again. */

interface Named {
  name: string;
}
interface Environment extends Named {
  type: string;
  description: string;
  tags: Record<string, string>;
  policies: string[];
  included_environments: string[] | null;
}
interface Notification extends Named {
  number: number;
  targets: { type: string; webhook: string }[];
  [field: string]: unknown;
}
interface CustomType extends Named {
  archived: boolean;
  versions: { version: number; type_schema: unknown; evaluator: unknown }[];
}
interface Policy extends Named {
  consuming_envs: string[];
  versions: { version: number; policy_yaml: string }[];
}
interface Key {
  id: string;
  key: string;
  description: string;
  expires_at: number;
}

const GUARD = (rule: string) =>
  `_schema: https://example.com/schemas/policy/environment/v1\nartifacts:\n  provenance:\n    required: ${rule}\n`;

describe('the provider manages', () => {
  const { ask, upload, refusal } = providerStory();
  const found = async <T extends Named>(list: string, name: string) =>
    (await ask<T[]>('GET', list)).find((one) => one.name === name);

  const environments = `/environments/${ORG}`;
  const environment = (name: string) => ask<Environment>('GET', `${environments}/${name}`);
  const physical = (name: string, description = '') =>
    ask('PUT', environments, { name, type: 'K8S', description, included_environments: null, policies: [] });
  const logical = (name: string, included_environments: string[]) =>
    ask('PUT', environments, { name, type: 'logical', description: '', included_environments, policies: [] });
  const destroyed = (name: string) => ask('PUT', `${environments}/${name}/archive`);
  const tag = (kind: string, name: string, change: Tags) => ask('PATCH', `/tags/${ORG}/${kind}/${name}`, change);

  it('environments', async () => {
    expect(await physical('prod', 'What customers see')).toBe('OK');
    await tag('environment', 'prod', { set_tags: { team: 'a', tier: '1' }, remove_tags: [] });
    const created = { name: 'prod', type: 'K8S', description: 'What customers see', tags: { team: 'a', tier: '1' } };
    expect(await environment('prod')).toMatchObject({ ...created, policies: [], included_environments: null });

    expect(await ask('PATCH', `${environments}/prod`, { description: '' })).toBe('OK');
    await tag('environment', 'prod', { set_tags: { team: 'b' }, remove_tags: ['tier'] });
    const changed = { name: 'prod', type: 'K8S', description: '', tags: { team: 'b' } };
    expect(await environment('prod')).toMatchObject(changed);
    expect(await found(environments, 'prod')).toEqual(await environment('prod'));

    await destroyed('prod');
    expect(await refusal('GET', `${environments}/prod`)).toEqual([
      404,
      `Environment named 'prod' has been archived for organization '${ORG}'`,
    ]);
    expect(await found(environments, 'prod')).toBeUndefined();
    await physical('prod', 'Once more');
    expect(await environment('prod')).toMatchObject({ description: 'Once more', tags: {} });
    await destroyed('prod');
  });

  it('logical environments', async () => {
    for (const name of ['east', 'west']) await physical(name);
    await logical('all', ['west', 'east']);
    expect(await environment('all')).toMatchObject({ type: 'logical', included_environments: ['west', 'east'] });
    await ask('PATCH', `${environments}/all`, { description: 'Both', included_environments: ['east'] });
    expect(await environment('all')).toMatchObject({ description: 'Both', included_environments: ['east'] });
    await ask('PATCH', `${environments}/all`, { included_environments: [] });
    expect(await environment('all')).toMatchObject({ description: 'Both', included_environments: [] });
    const nested = { name: 'nested', type: 'logical', included_environments: ['all'], policies: [] };
    expect((await refusal('PUT', environments, nested))[0]).toBe(400);
    for (const name of ['all', 'west', 'east']) await destroyed(name);
    expect((await refusal('GET', `${environments}/all`))[0]).toBe(404);
  });

  it('policies, and their attachment to environments', async () => {
    const policies = `/policies/${ORG}`;
    const policy = () => ask<Policy>('GET', `${policies}/guard`);
    const save = (description: string, policy_file: string) =>
      upload('PUT', policies, { payload: { name: 'guard', description, comment: '', type: 'env' } }, { policy_file });
    expect(await save('Guards', GUARD('true'))).toBe(201);
    const first = { version: 1, policy_yaml: GUARD('true') };
    expect(await policy()).toMatchObject({ description: 'Guards', consuming_envs: [], versions: [first] });
    expect(await save('Guards', GUARD('false'))).toBe(200);
    expect(await save('Guards all', GUARD('false'))).toBe(200);
    expect(await policy()).toMatchObject({
      ...{ description: 'Guards all', versions: [first, { version: 2, policy_yaml: GUARD('false') }] },
    });
    expect(await found(policies, 'guard')).toEqual(await policy());

    await physical('prod');
    await logical('all', ['prod']);
    const names = { policy_names: ['guard'] };
    for (const name of ['prod', 'all']) {
      const attachment = `${environments}/${name}/policies`;
      await ask('POST', attachment, names);
      expect(await environment(name)).toMatchObject({ policies: ['guard'] });
      await ask('PATCH', `${environments}/${name}`, { description: 'Guarded' });
      expect(await environment(name)).toMatchObject({ description: 'Guarded', policies: ['guard'] });
      expect((await policy()).consuming_envs).toEqual([name]);
      await ask('DELETE', attachment, names);
      expect(await environment(name)).toMatchObject({ policies: [] });
      await ask('DELETE', attachment, names);
    }
    expect((await policy()).consuming_envs).toEqual([]);
    expect(await refusal('POST', `${environments}/prod/policies`, { policy_names: ['nothing'] })).toEqual([
      404,
      `Policy 'nothing' does not exist in organization '${ORG}'`,
    ]);
    await destroyed('all');
    await destroyed('prod');
    expect((await refusal('DELETE', `${environments}/prod/policies`, names))[0]).toBe(404);
  });

  it('actions: notifications of what happens in environments', async () => {
    const actions = `/organizations/${ORG}/environments_notifications`;
    for (const name of ['prod', 'stage']) await physical(name);
    const body = {
      ...{ name: 'tell', type: 'env', environments: ['stage', 'prod'] },
      triggers: ['ON_STARTED_ARTIFACT', 'ON_NON_COMPLIANT_ENV', 'ON_EXITED_ARTIFACT'],
      targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/in?token=s%2Fecret', payload_version: '1.0' }],
    };
    expect(await ask('PUT', actions, body)).toBe('OK');
    const { number } = (await found<Notification>(actions, 'tell')) ?? { number: 0 };
    expect(number).toBeGreaterThan(0);
    const one = () => ask<Notification>('GET', `${actions}/${number}`);
    const about = { number, created_by: 'ann', is_created_from_slack_app: false, is_failing: false };
    expect(await one()).toMatchObject({ ...body, ...about });
    expect(await found(actions, 'tell')).toEqual(await one());

    const { name, type, targets } = body;
    const changed = { name, type, targets, environments: ['prod'], triggers: ['ON_COMPLIANT_ENV'] };
    expect(await ask('PUT', `${actions}/${number}`, changed)).toBe('OK');
    expect(await one()).toMatchObject({ ...changed, ...about });
    expect(await ask<Notification[]>('GET', actions)).toHaveLength(1);

    expect(await ask('DELETE', `${actions}/${number}`)).toBe('OK');
    expect(await refusal('GET', `${actions}/${number}`)).toEqual([404, 'Action not found']);
    expect(await refusal('DELETE', `${actions}/${number}`)).toEqual([404, 'Action not found']);

    await ask('PUT', actions, changed);
    const again = (await found<Notification>(actions, 'tell'))?.number ?? 0;
    expect(again).toBeGreaterThan(number);
    await destroyed('prod');
    expect(await refusal('GET', `${actions}/${again}`)).toEqual([404, 'Action not found']);
    await destroyed('stage');
  });

  it('custom attestation types', async () => {
    const types = `/custom-attestation-types/${ORG}`;
    const type = () => ask<CustomType>('GET', `${types}/coverage`);
    const schema = { type: 'object', required: ['line'], properties: { line: { type: 'number' } } };
    const jq = (...rules: string[]) => ({ content_type: 'jq', rules });
    const files = { type_schema: JSON.stringify(schema) };
    const document = { name: 'coverage', description: '', evaluator: jq('.line >= 80') };
    expect(await upload('POST', types, { data_json: document }, files)).toBe(201);
    const first = { version: 1, type_schema: schema, evaluator: jq('.line >= 80') };
    expect(await type()).toMatchObject({ name: 'coverage', description: '', archived: false, versions: [first] });

    const changed = { ...document, description: 'Lines', evaluator: jq('.line >= 80', '.line <= 100') };
    expect(await upload('POST', types, { data_json: changed })).toBe(201);
    const second = { version: 2, type_schema: null, evaluator: changed.evaluator };
    expect(await type()).toMatchObject({ description: 'Lines', versions: [second, first] });
    expect(await found(types, 'coverage')).toEqual(await type());

    await ask('PUT', `${types}/coverage/archive`);
    expect((await type()).archived).toBe(true);
    expect(await found(types, 'coverage')).toBeUndefined();
    expect((await refusal('GET', `${types}/nothing`))[0]).toBe(404);
  });

  it('flows', async () => {
    const flows = `/flows/${ORG}`;
    const flow = (name: string) => ask<Named>('GET', `${flows}/${name}`);
    const save = (name: string, description: string, files?: Record<string, string>) =>
      upload('PUT', `${flows}/template_file`, { data_json: { name, description, visibility: 'private' } }, files);
    expect(await save('plain', '')).toBe(201);
    expect(await flow('plain')).toMatchObject({
      description: '',
      visibility: 'private',
      template: 'version: 1',
      tags: {},
    });

    const template_file = 'version: 1 # kept as it is\ntrail:\n  attestations: []\n';
    expect(await save('web', 'The shop', { template_file })).toBe(201);
    await tag('flow', 'web', { set_tags: { team: 'a' }, remove_tags: [] });
    const created = { name: 'web', description: 'The shop', template: template_file, tags: { team: 'a' } };
    expect(await flow('web')).toMatchObject(created);
    expect(await save('web', 'The web shop', { template_file: 'version: 1\n' })).toBe(200);
    await tag('flow', 'web', { set_tags: {}, remove_tags: ['team'] });
    expect(await flow('web')).toMatchObject({ description: 'The web shop', template: 'version: 1\n', tags: {} });
    expect(await found(flows, 'web')).toEqual(await flow('web'));

    await ask('PUT', `${flows}/web/archive`);
    expect(await refusal('GET', `${flows}/web`)).toEqual([
      404,
      `Flow named 'web' does not exist for organization '${ORG}'`,
    ]);
  });

  it('controls', async () => {
    const controls = `/controls/${ORG}`;
    const control = () => ask('GET', `${controls}/SDLC-1`);
    const listed = async (archived: boolean) => {
      const page = await ask<{ controls: { identifier: string }[] }>('GET', `${controls}?archived=${archived}`);
      return page.controls.map(({ identifier }) => identifier);
    };
    const made = { identifier: 'SDLC-1', name: 'Reviewed', description: 'Somebody else looked' };
    await ask('POST', controls, made);
    expect(await control()).toMatchObject({
      ...made,
      version: 1,
      archived: false,
      links: {},
      policies_referencing: [],
    });
    const links = { 'run.book': 'https://example.com/run?a=b' };
    await ask('PUT', `${controls}/SDLC-1`, { name: 'Reviewed twice', description: '', links });
    await tag('control', 'SDLC-1', { set_tags: { framework: 'sdlc' }, remove_tags: [] });
    expect(await control()).toMatchObject({
      ...{ name: 'Reviewed twice', description: '', links, version: 2, tags: { framework: 'sdlc' } },
    });
    expect(await ask('GET', `${controls}/SDLC-1/versions/1`)).toMatchObject({ ...made, version: 1, status: 'created' });
    expect(await listed(false)).toEqual(['SDLC-1']);

    await ask('POST', `${controls}/SDLC-1/archive`);
    expect(await control()).toMatchObject({ archived: true, version: 3 });
    expect([await listed(false), await listed(true)]).toEqual([[], ['SDLC-1']]);
    expect(await refusal('POST', controls, made)).toEqual([
      409,
      `A control with identifier 'SDLC-1' already exists in organization '${ORG}'`,
    ]);
    expect(await refusal('GET', `${controls}/SDLC-2`)).toEqual([
      404,
      `Control 'SDLC-2' does not exist in organization '${ORG}'`,
    ]);
  });

  it('service accounts and their keys', async () => {
    const accounts = `/service-accounts/${ORG}`;
    const account = () => ask<Named>('GET', `${accounts}/robot`);
    const made = { name: 'robot', privilege: 'member', description: 'Builds' };
    const { created_at } = await ask<{ created_at: number }>('POST', accounts, made);
    expect(await account()).toMatchObject({ ...made, created_at });
    await ask('PATCH', `${accounts}/robot`, { privilege: 'reader', description: null });
    expect(await account()).toMatchObject({ privilege: 'reader', description: null, created_at });
    expect(await found(accounts, 'robot')).toEqual(await account());

    const keys = `${accounts}/robot/api-keys`;
    const expires_at = Math.floor(Date.now() / 1000) + 86_400;
    const issued = await ask<Key>('POST', keys, { description: 'CI', expires_at });
    const shown = { id: issued.id, description: 'CI', expires_at, last_used_at: 0 };
    expect(await ask('GET', `${keys}/${issued.id}`)).toMatchObject(shown);
    expect(await ask('GET', keys)).toMatchObject([shown]);
    const rotated = await ask<Key>('POST', `${keys}/${issued.id}/rotate`, {});
    expect(rotated).toMatchObject({ id: issued.id, description: 'CI', key: expect.any(String) });
    expect(rotated.key).not.toBe(issued.key);

    await ask('DELETE', `${keys}/${issued.id}`);
    expect(await refusal('GET', `${keys}/${issued.id}`)).toEqual([404, 'API key not found']);
    expect(await ask('DELETE', `${accounts}/robot`)).toBe('OK');
    expect(await refusal('GET', `${accounts}/robot`)).toEqual([404, 'Service account not found']);
  });
});
