import { Text } from '../parts/text/text.tsx';
import styles from './author.module.css';
import { type Identity, identitySentence } from './model/identity.ts';

interface AuthorProps {
  name: string;
  identity: Identity | null;
}

/** Who brought a record, and what an issuer proved about the reporter. */
export const Author = ({ name, identity }: AuthorProps) => (
  <>
    <Text>{name}</Text>
    {identity && (
      <span className={styles['proved']}>
        {' '}
        <Text>{identitySentence(identity)}</Text>
      </span>
    )}
  </>
);
