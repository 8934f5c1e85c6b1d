import { useLocation } from '@tanstack/react-router';
import { useLayoutEffect } from 'react';
import { namePage } from '../../client/page-name.ts';
import { glossaryWord } from '../../model/glossary-words.ts';
import { STATES, type StateName } from '../../model/states.ts';
import { PageLink } from '../link/link.tsx';
import { State } from '../text/state.tsx';
import { Text } from '../text/text.tsx';
import type { Renamed } from './use-present-name.ts';
import styles from './verdict-line.module.css';

interface VerdictLineProps {
  /** What the page is about: the name of a trail, of an environment. It becomes the page's only h1. */
  subject: string;
  /** The kind of the subject, before it: `Trail`. */
  kind?: string;
  state?: StateName | undefined;
  /** Drawn instead of the state, where another question matters more. The title of the tab keeps the state. */
  chip?: React.ReactNode;
  /** The verdict and its reason, in one sentence. It is what a reader of the page has to know. */
  sentence?: React.ReactNode;
  /** What somebody wrote about the subject. */
  description?: string;
  /** Few facts about the subject, in one line. */
  facts?: readonly React.ReactNode[];
  /** Buttons and links at the end of the line. */
  actions?: React.ReactNode;
  /** The rest of the tab's title: `payments`. */
  context?: string;
}

/** The head of every page: subject, verdict and its reason. It also sets the title of the tab. */
export function VerdictLine({
  subject,
  kind,
  state,
  chip,
  sentence,
  description = '',
  facts = [],
  actions,
  context,
}: VerdictLineProps) {
  const renamed = useLocation({ select: (location) => location.state.renamed });
  const path = useLocation({ select: ({ pathname }) => pathname });
  useLayoutEffect(() => namePage(path, subject), [path, subject]);
  const mark = state === undefined ? '' : `${STATES[state].mark} `;
  return (
    <header className={styles['header']} data-plain={sentence === undefined ? '' : undefined}>
      <title>{`${mark}${subject}${context === undefined ? '' : ` · ${context}`}`}</title>
      {kind !== undefined && (
        <p className={styles['kind']}>
          <Kind>{kind}</Kind>
        </p>
      )}
      <div className={styles['subject']}>
        <h1 className={styles['title']} tabIndex={-1}>
          <Text>{subject}</Text>
        </h1>
        {chip ?? (state !== undefined && <State state={state} chip />)}
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </div>
      {sentence !== undefined && (
        <p className={styles['sentence']} data-tone={state && STATES[state].tone}>
          {sentence}
        </p>
      )}
      {renamed !== undefined && <RenamedFrom renamed={renamed} />}
      {description !== '' && (
        <p className={styles['description']}>
          <Text lines>{description}</Text>
        </p>
      )}
      {facts.length > 0 && (
        <ul className={styles['facts']}>
          {facts.map((fact, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the facts of a page have no other identity than their place
            <li key={n}>{fact}</li>
          ))}
        </ul>
      )}
    </header>
  );
}

/** The kind of the subject. It leads to what the word means. */
function Kind({ children: kind }: { children: string }) {
  const word = glossaryWord(kind);
  if (word === null) return kind;
  return (
    <PageLink page="glossary" params={{}} search={{ word }} className={styles['word']} title="What the word means">
      {kind}
    </PageLink>
  );
}

/** Why the address in the browser is not the one that was opened. */
const RenamedFrom = ({ renamed: { what, from } }: { renamed: Renamed }) => (
  <p className={styles['renamed']}>
    The {what} was renamed from <Text>{from}</Text>. The address has its present name now.
  </p>
);
