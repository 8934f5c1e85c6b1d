import { invalid } from '#shared/base/errors.ts';
import { AnyFlowName, AnyPolicyName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { GLOSSARY } from '#shared/console/glossary.ts';
import { getFlow } from '#shared/evidence/flows/get-flow.ts';
import { getPolicy } from '#shared/policies/read-policies.ts';
import { quoteLines } from './rules/quote.ts';

/** Texts that an agent can read beside the answers of tools (rules/agents.md#resources). */

/** Returns the words of this field and their meaning. Everybody may read them. */
export const glossaryText = (): string =>
  Object.entries(GLOSSARY)
    .map(([word, [meaning]]) => `${word}: ${meaning}`)
    .join('\n');

/** A kind of text of an organization, by the name of a record. */
interface TextOfRecord {
  name: string;
  title: string;
  description: string;
  /** `evidence://{org}/policies/{name}` */
  address: `evidence://{org}/${string}/{name}`;
  /** @throws ServiceError `not-found` */
  read: (stores: Pick<Stores, 'table' | 'objects'>, org: Organization, name: string) => Promise<string>;
}

/** Every kind of text. A reader of the organization may read them. */
export const TEXTS: readonly TextOfRecord[] = [
  {
    name: 'policy',
    title: 'Policy of environments',
    description: 'The newest version of an environment policy, as YAML',
    address: 'evidence://{org}/policies/{name}',
    read: async (stores, org, name) => {
      const { texts } = await getPolicy(stores, org, AnyPolicyName.parse(name));
      return quoteLines(texts.at(-1) ?? '');
    },
  },
  {
    name: 'template',
    title: 'Template of a flow',
    description: 'What each trail of a flow needs, as YAML',
    address: 'evidence://{org}/templates/{name}',
    read: async (stores, org, name) => {
      const { template } = (await getFlow(stores, org, AnyFlowName.parse(name))).facts;
      return quoteLines(typeof template === 'string' ? template : template.join('\n'));
    },
  },
];

/** Returns the part of an address that stands for a name. @throws ServiceError `invalid` if it is missing or no text */
export function namePart(parts: Readonly<Record<string, string | string[]>>, part: 'org' | 'name'): string {
  const value = parts[part];
  if (typeof value !== 'string' || value === '') throw invalid({ [part]: 'Input should be one name' });
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw invalid({ [part]: 'Input should be encoded as in an address' }, error);
  }
}
