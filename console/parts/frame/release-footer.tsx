import { RELEASE_META } from '#shared/console/release-line.ts';
import styles from './release-footer.module.css';

/** The line that the server wrote into the page. */
const lineOfServer = (): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="${RELEASE_META}"]`)?.content;

/** What stands at the end of every page: which release it is, and the licences of what is in it. */
export function ReleaseFooter() {
  return (
    <footer className={styles['footer']}>
      <span>{lineOfServer()}</span>
      <a href="/-/assets/third-party-notices.txt">Third-party notices</a>
    </footer>
  );
}
