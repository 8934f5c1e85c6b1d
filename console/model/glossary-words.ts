/** The word of the glossary for each kind that a page is about. The glossary itself is loaded with its page. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    artifact: 'artifact',
    'attestation type': 'attestation',
    component: 'component',
    control: 'control',
    environment: 'environment',
    'environment notification': 'action',
    evaluation: 'evaluation',
    expectation: 'expectation',
    flow: 'flow',
    'flow action': 'action',
    organization: 'organization',
    policy: 'policy',
    recall: 'recall',
    repository: 'repository',
    'service account': 'service account',
    signer: 'signer',
    snapshot: 'snapshot',
    trail: 'trail',
    'trust root': 'trust root',
    watch: 'watch',
  }),
);

/** All words that labels of kinds lead to. */
export const KIND_WORDS: readonly string[] = [...new Set(WORDS.values())];

/** @param kind the label of a page's kind: `Trail`, `Environment · K8S`, `Control RCTL-1` */
export function glossaryWord(kind: string): string | null {
  const text = kind.toLowerCase();
  const [first = ''] = text.split(/ · | (?=\S+-)/);
  return WORDS.get(text) ?? WORDS.get(first) ?? null;
}
