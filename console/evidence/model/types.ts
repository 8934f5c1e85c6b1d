import { count } from '../../model/words.ts';
import type { CustomType, TypeVersion } from '../operations.ts';

/** What the list of custom types says first. */
export function typeListSentence(number: number, isFiltered: boolean): string {
  if (number === 0)
    return isFiltered ? 'No custom type fits the filter.' : 'This organization has no attestation type of its own.';
  return `${count(number, 'attestation type')} of this organization${isFiltered ? ` ${number === 1 ? 'fits' : 'fit'} the filter` : ''}.`;
}

/** What decides whether an attestation of a type is compliant. */
function rulesText({ evaluator }: Pick<TypeVersion, 'evaluator'>): string {
  if (evaluator.content_type === 'default') return 'the reporter says whether it is compliant';
  return `${count(evaluator.rules.length, 'rule')} must be true of the reported data`;
}

/** What the page of a type says first. `version` is the one that is shown. */
export function typeSentence({ archived, versions }: CustomType, version: TypeVersion | undefined): string {
  if (!version) return 'The type has no version.';
  const newest = versions[0]?.version ?? version.version;
  const which =
    version.version === newest
      ? `Version ${version.version}`
      : `Version ${version.version}, which is not the newest (${newest})`;
  const schema = version.type_schema === null ? 'any data is accepted' : 'the data must fit the schema';
  return `${archived ? 'Archived: nobody can report this type any more. ' : ''}${which}: ${schema}, and ${rulesText(version)}.`;
}
