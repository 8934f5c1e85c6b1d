import { describe, expect, it } from 'vitest';
import { typeListSentence, typeSentence } from '#console/evidence/model/types.ts';
import type { CustomType, TypeVersion } from '#console/evidence/operations.ts';

describe('custom types', () => {
  const version = (number: number, rules: string[]): TypeVersion => ({
    version: number,
    timestamp: 0,
    created_by: 'ann',
    type_schema: null,
    evaluator: rules.length === 0 ? { content_type: 'default' } : { content_type: 'jq', rules },
    summary: null,
  });

  it('say what decides', () => {
    const type = { archived: false, versions: [version(2, ['.a']), version(1, [])] } as unknown as CustomType;
    expect(typeSentence(type, type.versions[0])).toBe(
      'Version 2: any data is accepted, and 1 rule must be true of the reported data.',
    );
    expect(typeSentence({ ...type, archived: true }, type.versions[1])).toBe(
      'Archived: nobody can report this type any more. Version 1, which is not the newest (2): any data is accepted, and the reporter says whether it is compliant.',
    );
    expect(typeListSentence(0, false)).toBe('This organization has no attestation type of its own.');
  });
});
