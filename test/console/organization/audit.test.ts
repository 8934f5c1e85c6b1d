import { describe, expect, it } from 'vitest';
import { auditSentence, changedFields, verbOf } from '#console/organization/model/audit.ts';
import type { AuditEntry } from '#console/organization/operations.ts';

describe('the audit log', () => {
  it('shows the fields that a change set to another value', () => {
    expect(changedFields({ role: 'member', same: 1 }, { role: 'reader', same: 1, tags: { a: 'b' } })).toEqual([
      { field: 'role', before: 'member', after: 'reader' },
      { field: 'tags', before: null, after: '{\n  "a": "b"\n}' },
    ]);
    expect(changedFields(null, null)).toEqual([]);
    expect(changedFields(null, JSON.parse('{"__proto__":"x"}'))).toEqual([
      { field: '__proto__', before: null, after: 'x' },
    ]);
  });

  it('says how many changes are shown and by whom', () => {
    const by = (name: string) => ({ actor: { name } }) as AuditEntry;
    expect(auditSentence([by('ann'), by('ann')], false, false)).toBe('2 changes by ann.');
    expect(auditSentence([by('ann'), by('bob')], true, true)).toBe(
      'The newest 2 changes by 2 callers that fit the filter.',
    );
    expect(auditSentence([], false, true)).toBe('No change fits the filter.');
    expect(verbOf('member.role_changed')).toBe('role changed');
  });
});
