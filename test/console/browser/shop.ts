import { expect } from 'vitest';
import { callsOf, type Sent } from '#test/story/stack-api.ts';
import type { Place } from './hostile-organization.ts';

/** What an ordinary organization has, and what each of the five readers of the console asks about it. */

export const TRAIL = 'release-42';
export const COMMIT = '4'.repeat(40);
export const FINGERPRINT = `4f7ea${'0'.repeat(59)}`;

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: generic
  artifacts:
    - name: worker
      attestations:
        - name: unit-tests
          type: generic
`;
const STRICT = `_schema: https://evidence.example/schemas/policy/environment/v1
artifacts:
  trail-compliance:
    required: true
`;

/**
 * Fills an organization: an artifact without its review runs in `prod`, and a target of notifications refuses all.
 *
 * @param target address that notifications are sent to
 */
export async function fillShop({ url, org, key }: Place, target: string): Promise<void> {
  const { call } = callsOf(url, org, key);
  const send = async (method: string, path: string, sent: Sent) => {
    const { status, text } = await call(method, path, sent);
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
  };
  await send('PUT', '/policies', { part: 'payload', form: { name: 'strict' }, files: { policy_file: STRICT } });
  await send('PUT', '/environments', { json: { name: 'prod', type: 'docker', policies: ['strict'] } });
  await send('PUT', '/flows/template_file', { form: { name: 'payments' }, files: { template_file: TEMPLATE } });
  await send('PUT', '/actions/flows', {
    json: { name: 'desk', triggers: ['ON_STARTED_TRAIL'], targets: [{ type: 'WEBHOOK', webhook: target }] },
  });
  const git = { sha1: COMMIT, message: 'Retry a payment', author: 'Ann <ann@shop.example>', timestamp: 1_790_000_000 };
  await send('PUT', '/trails/payments', { form: { name: TRAIL, git_commit_info: git } });
  await send('POST', '/artifacts/payments', {
    json: {
      ...{ trail_name: TRAIL, template_reference_name: 'worker', filename: 'worker:42', fingerprint: FINGERPRINT },
      ...{ git_commit: COMMIT, build_url: 'https://ci.shop.example/42', commit_url: 'https://git.shop.example/42' },
    },
  });
  await send('POST', `/attestations/payments/trail/${TRAIL}/generic`, {
    form: { attestation_name: 'unit-tests', artifact_fingerprint: FINGERPRINT, is_compliant: true },
  });
  const artifacts = [{ digests: { 'worker:42': FINGERPRINT }, creationTimestamp: 1_790_000_000 }];
  await send('PUT', '/environments/prod/report/docker', { json: { artifacts } });
}
