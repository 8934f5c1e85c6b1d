import { describe, expect, it } from 'vitest';
import type { AttestationId } from '#shared/base/ids.ts';
import {
  attestationsNamed,
  componentsForPolicy,
  componentsRead,
  inputOf,
  trailForPolicy,
} from '#shared/evaluations/rules/input.ts';
import { testId } from '#test/support/ids.ts';

const entry = (name: string, id: string | null, more: object = {}) => ({
  attestation_name: name,
  attestation_id: id === null ? null : testId<AttestationId>(id),
  is_compliant: true,
  ...more,
});

const trail = (statuses: object[], artifacts: Record<string, object[]> = {}) => ({
  name: 'run',
  compliance_status: {
    status: 'COMPLIANT',
    evaluated_at: 1.5,
    attestations_statuses: statuses as ReturnType<typeof entry>[],
    artifacts_statuses: Object.fromEntries(
      Object.entries(artifacts).map(([name, entries]) => [
        name,
        { status: 'COMPLIANT', attestations_statuses: entries as ReturnType<typeof entry>[] },
      ]),
    ),
  },
});

describe('the input of a policy', () => {
  it('has statuses by name at both levels, and all other fields unchanged', () => {
    const shown = trail([entry('review', 'a')], { cli: [entry('tests', 'b')] });
    expect(JSON.parse(JSON.stringify(trailForPolicy(shown, new Map())))).toEqual({
      name: 'run',
      compliance_status: {
        status: 'COMPLIANT',
        evaluated_at: 1.5,
        attestations_statuses: { review: entry('review', 'a') },
        artifacts_statuses: {
          cli: { status: 'COMPLIANT', attestations_statuses: { tests: entry('tests', 'b') } },
        },
      },
    });
  });

  it('adds the fields of the record to an entry without replacing fields of the entry', () => {
    const details = new Map([['a', { is_compliant: false, html_url: 'https://x', user_data: { n: 1 } }]]);
    const shown = trailForPolicy(trail([entry('review', 'a'), entry('tests', null)]), details);
    expect(shown).toMatchObject({
      compliance_status: {
        attestations_statuses: {
          review: { is_compliant: true, html_url: 'https://x', user_data: { n: 1 } },
          tests: { attestation_id: null },
        },
      },
    });
  });

  it('has the last of several entries with one name, and accepts names such as __proto__', () => {
    const shown = trailForPolicy(trail([entry('__proto__', 'a'), entry('x', 'b'), entry('x', 'c')]), new Map());
    const { compliance_status: status } = shown as { compliance_status: { attestations_statuses: object } };
    expect(Object.keys(status.attestations_statuses)).toEqual(['__proto__', 'x']);
    expect(status.attestations_statuses).toMatchObject({ x: { attestation_id: 'c' } });
  });

  it('has one trail under both names, or several trails under one name', () => {
    const [one, other] = [{ name: 'a' }, { name: 'b' }];
    expect(inputOf([one])).toEqual({ trail: one, trails: [one] });
    expect(inputOf([one, other])).toEqual({ trails: [one, other] });
  });

  it('needs every attestation in the status, without repetitions', () => {
    const shown = trail([entry('a', '1'), entry('b', null)], { x: [entry('a', '1'), entry('c', '2')] });
    expect(attestationsNamed(shown)).toEqual(['1', '2']);
  });
});

describe('components in the input', () => {
  it.each([
    ['package policy', 'none'],
    ['input.trail.x.components.count', 'states'],
    ['some one in input.trail.x.component_list', 'lists'],
  ])('are read by the words of the files: %s', (text, expected) => {
    expect(componentsRead(JSON.stringify({ 'policy.rego': text }))).toBe(expected);
  });

  it('are listed without their digests', () => {
    const one = { purl: 'pkg:npm/a@1', name: 'a', version: '1', depth: 'direct' };
    const read = { ...one, digests: { sha256: 'ab' } };
    expect(componentsForPolicy([read])).toEqual([one]);
  });
});
