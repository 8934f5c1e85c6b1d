import { describe, expect, it } from 'vitest';
import { Fault } from '#verify/fault.ts';
import { Covers } from '#verify/records/covers.ts';

const NAME = 'members/member';

/** The audit log about one record: `new-old` is an entry that left `new` behind and replaced `old`; `~` came later. */
function coversOf(entries: string, family = NAME): Covers {
  const covers = new Covers();
  for (const entry of entries.split(' ').filter(Boolean)) {
    const [digest = '', replaces = ''] = entry.replace('~', '').split('-');
    const cover = { family, key: 'k', digest: digest || null, ...(replaces && { replaces }) };
    covers.add('line 1', cover, !entry.startsWith('~'));
  }
  return covers;
}

/** How a line with a digest stands; without a digest: whether it may be missing. */
function standing(entries: string, digest: string, family: typeof NAME | 'flows/flow' = NAME) {
  try {
    const covers = coversOf(entries, family);
    if (digest === '') {
      covers.finish();
      return 'missing';
    }
    return covers.require('line 2', family, 'k', digest);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

describe('what the audit log says of a record', () => {
  it.each([
    ['a', 'a', 'proved'],
    ['a b-a', 'b', 'proved'],
    ['b-a a', 'b', 'proved'],
    ['a b-a a-b', 'a', 'proved'],
    ['a -a', '', 'missing'],
    ['a -a a', 'a', 'proved'],
    ['', '', 'missing'],
    ['a ~b-a', 'a', 'proved'],
    ['a ~b-a', 'b', 'later'],
    ['~a', 'a', 'later'],
    ['~a', '', 'missing'],
    ['a ~-a', '', 'missing'],
    ['a c-b ~b-a', 'c', 'proved'],
  ])('the audit log by the entries «%s» says that a line %s is %s', (entries, digest, expected) => {
    expect(standing(entries, digest)).toBe(expected);
  });

  it.each([
    ['', 'a', 'no entry of the audit log names the record members/member k'],
    ['a', 'b', 'the record members/member k has the digest b, the audit log says the digest a'],
    ['a b-a', 'a', 'the record members/member k has the digest a, the audit log says the digest b'],
    ['a -a', 'a', 'the record members/member k has the digest a, the audit log says its removal'],
    ['a', '', 'no line has the record members/member k, which the audit log names'],
    ['a -a a', '', 'no line has the record members/member k, which the audit log names'],
    ['a ~b-a', 'c', 'the record members/member k has the digest c, the audit log says the digest a or the digest b'],
    ['a ~b-a', '', 'no line has the record members/member k, which the audit log names'],
    ['a c-b', 'c', 'the entries of the audit log about members/member k do not follow each other'],
    ['b-a', 'b', 'the entries of the audit log about members/member k do not follow each other'],
  ])('the audit log by the entries «%s» refuses a line «%s»', (entries, digest, fault) => {
    expect(standing(entries, digest)).toBe(fault);
  });

  it('lets a flow begin without an entry', () => {
    expect(standing('', 'a', 'flows/flow')).toBeUndefined();
    expect(standing('b-a', 'b', 'flows/flow')).toBe('proved');
    expect(standing('~b-a', 'a', 'flows/flow')).toBe('later');
    expect(standing('b-a', 'a', 'flows/flow')).toContain('the audit log says the digest b');
    expect(standing('b-a', '', 'flows/flow')).toContain('no line has the record');
  });

  it('refuses a second line of a record, and an entry about records that no export has', () => {
    const covers = coversOf('a');
    covers.require('line 2', NAME, 'k', 'a');
    expect(() => covers.require('line 3', NAME, 'k', 'a')).toThrow('an earlier line has the record members/member k');
    expect(() => coversOf('a', 'other/thing')).toThrow("the entry covers a record of 'other/thing'");
  });
});
