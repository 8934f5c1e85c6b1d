import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { fullTime } from '../../model/time.ts';
import styles from './printed-from.module.css';

/** On paper: which page it is and when it was printed, so that it can be found and cited. */
export function PrintedFrom() {
  const { href } = useLocation();
  const [at, setAt] = useState(() => Date.now());
  useEffect(() => {
    // The browser takes its picture when the event was handled, so the time is drawn at once.
    const onPrint = () => flushSync(() => setAt(Date.now()));
    addEventListener('beforeprint', onPrint);
    return () => removeEventListener('beforeprint', onPrint);
  }, []);
  return (
    <p className={styles['printed']}>
      Printed on {fullTime(at / 1000, 'utc')} from {location.origin + href}
    </p>
  );
}
