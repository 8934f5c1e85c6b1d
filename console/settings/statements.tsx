import { useAnswer } from '../client/live.ts';
import { Code } from '../parts/text/code.tsx';
import { Text } from '../parts/text/text.tsx';
import { readLog } from './routes.ts';
import styles from './settings.module.css';
import { statementCommands } from './statement-commands.ts';

/** The keys that sign statements, and the commands that check one. */
export function Statements({ org }: { org: string }) {
  const { statement_keys: keys, origin } = useAnswer(readLog(org));
  return (
    <div className={styles['reading']}>
      <p>
        A statement says in a signed text how the service judged a trail, an artifact, a snapshot or an evaluation. Keep
        the key and the trusted root in a place of your own: a verifier must not take keys from what it verifies. The
        log is <Text>{origin}</Text>.
      </p>
      {keys.map(({ public_key: key }, n) => (
        <Code key={key} what={keys.length === 1 ? 'Key of statements' : `Key of statements, ${n + 1}`}>
          {key}
        </Code>
      ))}
      {statementCommands(location.origin, org).map(({ what, text }) => (
        <Code key={what} what={what} wrap>
          {text}
        </Code>
      ))}
    </div>
  );
}
