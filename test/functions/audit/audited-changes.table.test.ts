import { describe, expect, it } from 'vitest';
import { actionsGroup } from '#functions/actions/endpoints.ts';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { environmentNotificationsGroup } from '#functions/environment-notifications/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { organizationOf } from '#test/support/admin.ts';
import { testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import { POLICY_HEADER } from '#test/support/policies.ts';

/** Changes in the other groups of endpoints: each change writes one audit entry. */

const api = await testApi([
  flowsGroup,
  customAttestationTypesGroup,
  actionsGroup,
  environmentsGroup,
  environmentNotificationsGroup,
  policiesGroup,
  auditGroup,
]);

async function newOrganization() {
  const { name, keys } = await organizationWith(api.services, ['admin', 'member']);
  const { audit } = organizationOf(api, name, keys);
  return {
    name,
    keys,
    /** Sends a request as a member. */
    async send(method: string, path: string, json: unknown = null, expected = [200, 201]) {
      const answer = await api.call(method, path.replace('ORG', name), { key: keys.member, json });
      expect(expected, answer.text).toContain(answer.status);
    },
    asAdmin: (method: string, path: string) => api.call(method, path.replace('ORG', name), { key: keys.admin }),
    /** All entries of the organization, the oldest first. */
    async logged() {
      const entries = await audit();
      const changes = entries.filter(({ actor }) => actor.kind !== 'operator').reverse();
      return changes.map(({ kind, subject, before, after }) => ({ kind, subject, before, after }));
    },
  };
}

describe('the audit log has entries', () => {
  it('the audit log has entries for flows that are created, changed, renamed and archived, not for requests that change nothing', async () => {
    const { send, logged } = await newOrganization();
    await send('PUT', '/flows/ORG', { name: 'a' });
    await send('PUT', '/flows/ORG', { name: 'a', description: 'other' });
    await send('PUT', '/flows/ORG', { name: 'a', description: 'other' });
    await send('PUT', '/flows/ORG/a/rename', { new_name: 'b' });
    await send('PUT', '/flows/ORG/a/rename', { new_name: 'b' });
    await send('PUT', '/flows/ORG', { name: 'c' });
    await send('PUT', '/flows/ORG/c/rename', { new_name: 'b' }, [400]);
    await send('PUT', '/flows/ORG/b/archive');
    await send('PUT', '/flows/ORG/b/archive', null, [404]);
    const id = expect.any(String);
    const facts = { description: '', visibility: 'private', template: null };
    const other = { ...facts, description: 'other' };
    const subject = (name: string) => ({ type: 'flow', id, name });
    expect(await logged()).toEqual([
      { kind: 'flow.created', subject: subject('a'), before: null, after: facts },
      { kind: 'flow.changed', subject: subject('a'), before: facts, after: other },
      { kind: 'flow.renamed', subject: { type: 'flow', id, name: 'a' }, before: { name: 'a' }, after: { name: 'b' } },
      { kind: 'flow.created', subject: subject('c'), before: null, after: facts },
      { kind: 'flow.archived', subject: { type: 'flow', id, name: 'b' }, before: null, after: null },
    ]);
  });

  it('only once for a flow that several requests archive at the same time', async () => {
    const { send, logged } = await newOrganization();
    await send('PUT', '/flows/ORG', { name: 'a' });
    await Promise.all([1, 2, 3].map(() => send('PUT', '/flows/ORG/a/archive', null, [200, 404])));
    expect(await logged()).toMatchObject([{ kind: 'flow.created' }, { kind: 'flow.archived' }]);
  });

  it('the audit log has entries for custom types that are created, changed and archived, one each', async () => {
    const { name, keys, send, logged } = await newOrganization();
    const make = async (type: object) => {
      const form = { fields: { data_json: JSON.stringify({ name: 'scan', ...type }) } };
      const made = await api.call('POST', `/custom-attestation-types/${name}`, { key: keys.member, form });
      expect(made.status).toBe(201);
    };
    const rules = { evaluator: { content_type: 'jq', rules: ['.a'] } };
    for (const type of [{}, {}, rules, { ...rules, description: 'a scan' }]) await make(type);
    for (let i = 0; i < 2; i += 1) await send('PUT', '/custom-attestation-types/ORG/scan/archive');
    const subject = { type: 'custom_attestation_type', id: expect.any(String), name: 'scan' };
    const facts = (version: number, description: string | null = null) => ({ version, description });
    expect(await logged()).toEqual([
      { kind: 'custom_type.created', subject, before: null, after: facts(1) },
      { kind: 'custom_type.changed', subject, before: facts(1), after: facts(2) },
      { kind: 'custom_type.changed', subject, before: facts(2), after: facts(2, 'a scan') },
      { kind: 'custom_type.archived', subject, before: null, after: null },
    ]);
  });

  it('the audit log has entries for policies that are created and changed, not for requests that change nothing', async () => {
    const { name, keys, logged } = await newOrganization();
    const put = async (text: string, description = '') => {
      const fields = { payload: JSON.stringify({ name: 'strict', description }) };
      const answer = await api.call('PUT', `/policies/${name}`, {
        key: keys.member,
        form: { fields, files: { policy_file: text } },
      });
      expect([200, 201], answer.text).toContain(answer.status);
    };
    const other = `${POLICY_HEADER}artifacts: {}\n`;
    for (const text of [POLICY_HEADER, POLICY_HEADER, other]) await put(text);
    await put(other, 'other');
    const subject = { type: 'policy', id: expect.any(String), name: 'strict' };
    const facts = (version: number, description = '') => ({ version, description });
    expect(await logged()).toEqual([
      { kind: 'policy.created', subject, before: null, after: facts(1) },
      { kind: 'policy.changed', subject, before: facts(1), after: facts(2) },
      { kind: 'policy.changed', subject, before: facts(2), after: facts(2, 'other') },
    ]);
  });

  it('the audit log has entries for actions that are created, changed and deleted and for their secrets, without addresses', async () => {
    const { send, asAdmin, logged } = await newOrganization();
    const action = (triggers: string[], more: object = {}) => ({
      name: 'tell',
      type: 'flow',
      triggers,
      targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/t0ken', ...more }],
    });
    await send('PUT', '/actions/ORG/flows', action(['ON_ATTESTATION']));
    const secret = `whsec_${Buffer.from('0123456789012345678901234567').toString('base64')}`;
    await send('PUT', '/actions/ORG/flows', action(['ON_STARTED_TRAIL'], { secret }));
    expect((await asAdmin('POST', '/actions/ORG/1/signing-secret/rotate')).status).toBe(200);
    await send('DELETE', '/actions/ORG/1');
    const entries = await logged();
    const facts = (triggers: string[]) => ({
      name: 'tell',
      triggers,
      flows: [],
      environments: [],
      targets: ['WEBHOOK'],
    });
    const subject = { type: 'action', id: '1', name: 'tell' };
    expect(entries).toEqual([
      { kind: 'action.created', subject: { ...subject, id: null }, before: null, after: facts(['ON_ATTESTATION']) },
      {
        kind: 'action.changed',
        subject,
        before: facts(['ON_ATTESTATION']),
        after: { ...facts(['ON_STARTED_TRAIL']), secret_given: true },
      },
      { kind: 'action.secret_rotated', subject, before: null, after: null },
      { kind: 'action.deleted', subject, before: facts(['ON_STARTED_TRAIL']), after: null },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/t0ken|whsec_/);
  });

  it('the audit log has entries for environment notifications, with the same kinds', async () => {
    const { send, logged } = await newOrganization();
    const notifications = '/organizations/ORG/environments_notifications';
    const body = (name: string) => ({
      name,
      type: 'env',
      environments: ['prod'],
      triggers: ['ON_NON_COMPLIANT_ENV'],
      targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/t0ken' }],
    });
    await send('PUT', '/environments/ORG', { name: 'prod', type: 'server' });
    await send('PUT', notifications, body('tell'));
    await send('PUT', `${notifications}/1`, body('tell-more'));
    await send('DELETE', `${notifications}/1`);
    const entries = (await logged()).filter(({ kind }) => kind.startsWith('action.'));
    expect(entries.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['action.created', { type: 'environment_notification', id: null, name: 'tell' }],
      ['action.changed', { type: 'environment_notification', id: '1', name: 'tell' }],
      ['action.deleted', { type: 'environment_notification', id: '1', name: 'tell-more' }],
    ]);
    expect(entries[1]).toMatchObject({ before: { name: 'tell' }, after: { name: 'tell-more' } });
    expect(JSON.stringify(entries)).not.toContain('t0ken');
  });
});
