import { useLocation, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useRenewal } from '../../account/renewal.ts';
import { SignInDialog } from '../../account/sign-in-dialog.tsx';
import { IconButton } from '../control/button.tsx';
import { useGoKeys } from '../keys/go-keys.tsx';
import { useKeyboard } from '../keys/keyboard.tsx';
import styles from './frame.module.css';
import { PrintedFrom } from './printed-from.tsx';
import { Rail } from './rail.tsx';
import { ReleaseFooter } from './release-footer.tsx';
import { TopLine } from './top-line.tsx';

/** What stands around every page: the rail with the pages of the organization, and the line above the page. */
export function Frame({ children }: { children: React.ReactNode }) {
  const { org } = useParams({ strict: false });
  const { pathname } = useLocation();
  const sheet = useRef<HTMLDialogElement>(null);
  useKeyboard();
  useGoKeys(org);
  useRenewal();
  // Following a link of the sheet closes it.
  useEffect(() => {
    const { current } = sheet;
    const onClick = (event: Event) => {
      if (event.target === current || (event.target instanceof Element && event.target.closest('a'))) current?.close();
    };
    current?.addEventListener('click', onClick);
    return () => current?.removeEventListener('click', onClick);
  }, []);
  // Nobody is signed in there, so there is nothing to go to.
  if (pathname === '/-/sign-in') return <main id="main">{children}</main>;
  return (
    <>
      <a className={styles['skip']} href="#main">
        Skip to the page
      </a>
      <div className={styles['frame']}>
        <div className={styles['side']}>
          <div className={styles['rail']}>
            <Rail org={org} />
          </div>
        </div>
        <div>
          <TopLine
            org={org}
            menu={
              <span className={styles['menu']}>
                <IconButton icon="menu" label="Pages" onClick={() => sheet.current?.showModal()} />
              </span>
            }
          />
          <main id="main" className={styles['main']} tabIndex={-1}>
            {children}
            <PrintedFrom />
          </main>
          <ReleaseFooter />
        </div>
      </div>
      <dialog ref={sheet} className={styles['sheet']} aria-label="Pages">
        <Rail org={org} />
      </dialog>
      <SignInDialog />
    </>
  );
}
