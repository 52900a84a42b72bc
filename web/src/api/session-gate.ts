/**
 * Holds requests that met an expired session until the user has signed in again, so that nothing typed is lost.
 *
 * Armed once somebody is signed in: before that a 401 simply means "show the sign-in page".
 */
type Listener = () => void;
interface Waiter {
  resume: () => void;
  abandon: () => void;
}

let isArmed = false;
let isHeld = false;
let waiters: Waiter[] = [];
const listeners = new Set<Listener>();

export const sessionGate = {
  arm(): void {
    isArmed = true;
  },

  disarm(): void {
    isArmed = false;
    finish((waiter) => waiter.abandon());
  },

  isArmed: (): boolean => isArmed,

  /** True while the user has to be asked to sign in again. */
  isAsking: (): boolean => waiters.length > 0 && !isHeld,

  /** Resolves true after a new sign-in, false when the user leaves instead. */
  waitForSignIn(): Promise<boolean> {
    return new Promise((resolve) => {
      waiters = [...waiters, { resume: () => resolve(true), abandon: () => resolve(false) }];
      notify();
    });
  },

  signedIn(): void {
    isArmed = true;
    finish((waiter) => waiter.resume());
  },

  /** While `work` runs, expired requests wait without asking: it will sign in again by itself. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    isHeld = true;
    try {
      return await work();
    } finally {
      isHeld = false;
      notify();
    }
  },

  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function finish(end: (waiter: Waiter) => void): void {
  const ending = waiters;
  waiters = [];
  ending.forEach(end);
  notify();
}

function notify(): void {
  listeners.forEach((listener) => listener());
}
