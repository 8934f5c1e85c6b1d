import { describe, expect, test } from 'vitest';
import { flowChecks, policyWork } from '#shared/policies/rules/work.ts';
import { aPolicy } from './policies.ts';

const none = { longestText: 0, attestations: 0 };
const checksOf = (artifacts: Record<string, unknown>, facts = none) =>
  flowChecks(policyWork([aPolicy(artifacts)]), facts);

describe('the checks of a policy in one flow', () => {
  test('are one per rule, with the two rules of every policy', () => {
    expect(checksOf({})).toBe(2);
    expect(checksOf({ attestations: [{ type: 'junit' }, { type: 'snyk' }] })).toBe(4);
    expect(policyWork([aPolicy(), aPolicy({ attestations: [{ type: 'junit' }] })])).toMatchObject({ rules: 5 });
  });

  test('are more for each expression, by its length', () => {
    const condition = `artifact.name == "${'x'.repeat(320 - 19)}"`;
    expect(checksOf({ attestations: [{ type: 'junit', if: condition }] })).toBe(3 + 10);
    expect(checksOf({ provenance: { required: true, exceptions: [{ if: condition }, { if: condition }] } })).toBe(22);
  });

  test('are more for each pattern, by its size and the longest text', () => {
    const artifacts = { attestations: [{ type: 'junit', if: 'not matches(artifact.name, "a+b+c+")' }] };
    const [short, long] = [100, 1_000].map((longestText) => checksOf(artifacts, { ...none, longestText }));
    expect(long).toBeGreaterThan(5 * (short ?? 0));
    expect(checksOf(artifacts, { ...none, longestText: 1_000_000 })).toBe(
      checksOf(artifacts, { ...none, longestText: 4_096 }),
    );
  });

  test('are more for attestations, above all if the reporter of each is evaluated', () => {
    const many = { ...none, attestations: 3_200 };
    expect(checksOf({ attestations: [{ type: 'junit' }] }, many)).toBe(3 + 100);
    const reported_by = 'identity.repository == "acme/web"';
    expect(checksOf({ attestations: [{ type: 'junit', reported_by }] }, many)).toBe(3 + 100 + 2 * 3_200);
  });
});
