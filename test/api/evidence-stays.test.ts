import { expect, test } from 'vitest';
import { EVALUATOR_USES } from '#functions/evaluator/uses.ts';
import { groups } from '#functions/groups.ts';
import { NOTIFIER_USES } from '#functions/notifier/uses.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import type { Family, Uses } from '#shared/table/uses.ts';

/** What is never removed once it was accepted (design §2.1); rights follow from the same declarations. */
const EVIDENCE: readonly Family[] = [
  ...(['TRAIL', 'MOMENT', 'RUNTIME', 'ATTESTATION', 'ARTIFACT', 'DECISION', 'TYPE', 'FLOW'] as const),
  ...(['SNAPSHOT', 'ENVEVENT', 'DEPLOYMENTS', 'ALLOWED', 'CONTROL'] as const),
  ...(['EVALUATION', 'BODY', 'AUDIT', 'DELIVERY'] as const),
];

const users: [string, Uses][] = [
  ...groups.flatMap(({ endpoints }) => endpoints.map(({ operation, uses }): [string, Uses] => [operation, uses ?? {}])),
  ['relay', RELAY_USES],
  ['notifier', NOTIFIER_USES],
  ['evaluator', EVALUATOR_USES],
  ['operator', OPERATOR_USES],
];

test('no endpoint and no function may remove evidence', () => {
  const removers = users.filter(([, { removes = [] }]) => removes.length > 0);
  expect(removers.length).toBeGreaterThan(5);
  const found = removers.flatMap(([name, { removes = [] }]) =>
    removes.filter((family) => EVIDENCE.includes(family)).map((family) => `${name} removes ${family}`),
  );
  expect(found).toEqual([]);
});

/**
 * Partitions of policies hold versions beside the environments that the policy is attached to: whoever detaches may, by
 * its rights, remove either. Code alone holds it to the latter (SECURITY.md, «What is not protected»).
 */
test('versions of policies lie in reach of those alone who change what is attached', () => {
  const reaching = users.filter(([, { removes = [] }]) => removes.includes('POLICY')).map(([name]) => name);
  expect(reaching.sort()).toEqual([
    ...['archiveEnvironment', 'attachPolicies', 'detachPolicies', 'patchEnvironment', 'putEnvironment'],
  ]);
});
