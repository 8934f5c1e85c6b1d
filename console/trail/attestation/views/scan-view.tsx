import { Text } from '../../../parts/text/text.tsx';
import type { ScanView as Model, Scanned } from '../model/findings.ts';
import { Bounded } from './bounded.tsx';
import { NamedLink } from './named-link.tsx';
import { Notice, View } from './view.tsx';
import styles from './views.module.css';

/** What a vulnerability scan found, by severity. */
export const ScanView = ({ view }: { view: Model }) => (
  <View title="Findings" sentence={view.sentence}>
    {view.tool !== null && (
      <p className={styles['quiet']}>
        Scanned with <Text>{view.tool}</Text>
      </p>
    )}
    {view.unlisted !== '' && <Notice>{view.unlisted}</Notice>}
    {view.found.length > 0 && <ScannedList found={view.found} />}
  </View>
);

/** Findings, the most severe first. */
const ScannedList = ({ found }: { found: readonly Scanned[] }) => (
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
