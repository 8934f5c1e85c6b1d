import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { sessionEnded } from '../client/query-client.ts';
import { Dialog } from '../parts/form/dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Opens over a page when its session ended. The page stays as it was, and goes on after signing in. */
export function SignInDialog() {
  const [isOpen, setOpen] = useState(false);
  const router = useRouter();
  useEffect(() => {
    const open = () => setOpen(true);
    sessionEnded.addEventListener('ended', open);
    return () => sessionEnded.removeEventListener('ended', open);
  }, []);
  if (!isOpen) return null;
  return (
    <Dialog title="Your session ended">
      <SignInForm
        next={location.pathname + location.search + location.hash}
        onSignedIn={() => {
          setOpen(false);
          void router.invalidate();
        }}
      />
    </Dialog>
  );
}
