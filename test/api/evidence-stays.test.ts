import { expect, test } from 'vitest';
import { EVALUATOR_USES } from '#functions/evaluator/uses.ts';
import { EXPANDER_USES } from '#functions/expander/uses.ts';
import { EXPORTER_USES } from '#functions/exporter/uses.ts';
import { groups } from '#functions/groups.ts';
import { INTEGRATOR_USES } from '#functions/integrator/uses.ts';
import { NOTIFIER_USES } from '#functions/notifier/uses.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import type { Family, Uses } from '#shared/table/uses.ts';

/** Families whose items are never removed (rules/storage.md#append-only). The IAM rights come from the same declarations. */
const EVIDENCE: readonly Family[] = [
  ...(['TRAIL', 'MOMENT', 'RUNTIME', 'ATTESTATION', 'ARTIFACT', 'DECISION', 'TYPE', 'FLOW'] as const),
  ...(['SNAPSHOT', 'ENVEVENT', 'DEPLOYMENTS', 'ALLOWED', 'CONTROL'] as const),
  ...(['EVALUATION', 'BODY', 'AUDIT', 'DELIVERY', 'LOG', 'LOGGED', 'STATEMENT'] as const),
];

/** The declared uses of every endpoint and every worker, by name. */
const declarations: [string, Uses][] = [
  ...groups.flatMap(({ endpoints }) => endpoints.map(({ operation, uses }): [string, Uses] => [operation, uses ?? {}])),
  ['relay', RELAY_USES],
  ['notifier', NOTIFIER_USES],
  ['expander', EXPANDER_USES],
  ['evaluator', EVALUATOR_USES],
  ['integrator', INTEGRATOR_USES],
  ['exporter', EXPORTER_USES],
  ['operator', OPERATOR_USES],
];

test('no endpoint and no worker but the operator may remove evidence', () => {
  const removers = declarations.filter(([, { removes = [] }]) => removes.length > 0);
  expect(removers.length).toBeGreaterThan(5);
  const found = removers.flatMap(([name, { removes = [] }]) =>
    removes.filter((family) => EVIDENCE.includes(family)).map((family) => `${name} removes ${family}`),
  );
  // An erasure removes commits of a trail and uses of contents, whose keys contain digests (rules/erasure.md).
  expect(found).toEqual(['operator removes BODY', 'operator removes TRAIL']);
});

test('only the operator may remove objects of evidence', () => {
  const erased = declarations.map(([name, { bucket = [] }]) => [name, bucket.filter((use) => use.endsWith(':erase'))]);
  expect(erased.filter(([, uses]) => uses?.length)).toEqual([
    // The exporter removes what it stored itself (rules/erasure.md#erased-exports).
    ['exporter', ['exports:erase']],
    ['operator', ['bodies:erase', 'evidence:erase', 'exports:erase']],
  ]);
});

/**
 * A policy's partition holds its versions and its attachments to environments. Rights cannot tell the two apart, so an
 * endpoint with the right to remove attachments could also remove versions; only the code prevents it (SECURITY.md,
 * «What is not protected»).
 */
test('only the endpoints that change attachments of policies could remove versions of policies', () => {
  const removers = declarations.filter(([, { removes = [] }]) => removes.includes('POLICY')).map(([name]) => name);
  expect(removers.sort()).toEqual([
    ...['archiveEnvironment', 'attachPolicies', 'detachPolicies', 'patchEnvironment', 'putEnvironment'],
  ]);
});
