import { useQuery } from '@tanstack/react-query';
import { Text } from '../../../parts/text/text.tsx';
import { type ScanView as Model, type Scanned, withRules } from '../model/findings.ts';
import { scanOf } from '../model/preview.ts';
import { Bounded } from './bounded.tsx';
import { NamedLink } from './named-link.tsx';
import { type FilePlace, readPreview } from './read-preview.ts';
import { Notice, View } from './view.tsx';
import styles from './views.module.css';

/** What a vulnerability scan found, by severity. */
export const ScanView = ({ view, place }: { view: Model; place: FilePlace | null }) => (
  <View title="Findings" sentence={view.sentence}>
    {view.tool !== null && (
      <p className={styles['quiet']}>
        Scanned with <Text>{view.tool}</Text>
      </p>
    )}
    {view.unlisted !== '' && <Notice>{view.unlisted}</Notice>}
    {view.found.length > 0 &&
      (place ? <LinkedList found={view.found} place={place} /> : <ScannedList found={view.found} />)}
  </View>
);

/** Findings with the addresses that the attached scan file states about them. Without the file they have none. */
function LinkedList({ found, place }: { found: readonly Scanned[]; place: FilePlace }) {
  const { data, isError } = useQuery(readPreview(place));
  const rules = data && scanOf(data)?.rules;
  return (
    <>
      {isError && <Notice>The attached scan file could not be read, so findings have no links.</Notice>}
      <ScannedList found={rules ? withRules(found, rules) : found} />
    </>
  );
}

/** Findings, the most severe first. */
export const ScannedList = ({ found }: { found: readonly Scanned[] }) => (
  <Bounded rows={found} textOf={(one) => [one.severity, one.id, one.message, ...one.places].join(' ')} what="findings">
    {(one) => <Finding finding={one} />}
  </Bounded>
);

const TONES = { high: 'bad', medium: 'open', low: 'quiet' } as const;

const Finding = ({ finding: { severity, id, message, places, score, link } }: { finding: Scanned }) => (
  <div className={styles['item']}>
    <div className={styles['line']}>
      <span className={styles['severity']} data-tone={TONES[severity]}>
        {severity}
      </span>
      <span className={styles['name']}>
        <NamedLink href={link}>{id}</NamedLink>
      </span>
      {score !== null && <span className={`${styles['quiet']} ${styles['end']}`}>priority {score}</span>}
    </div>
    {message !== null && <Text lines>{message}</Text>}
    {places.length > 0 && (
      <span className={styles['quiet']}>
        in <Text>{places.slice(0, MOST_PLACES).join('; ')}</Text>
        {places.length > MOST_PLACES && ` and ${places.length - MOST_PLACES} more places`}
      </span>
    )}
  </div>
);

const MOST_PLACES = 5;
