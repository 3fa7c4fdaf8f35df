// The changes that a service tells -> each page that listens. A browser opens few connections to a
// host: where it can, it runs this script as a worker, which listens once for all of its pages.
(() => {
  "use strict";

  const RETRY_MS = 5000;

  // Calls back with the name and the data of each event; "open" and "error" are those of the connection.
  function follow(address, tell) {
    const events = new EventSource(address);
    events.addEventListener("open", () => tell("open"));
    events.addEventListener("error", () => {
      tell("error");
      // It does not try again by itself where it got another answer, such as that of a proxy.
      if (events.readyState === EventSource.CLOSED) setTimeout(() => follow(address, tell), RETRY_MS);
    });
    for (const name of ["verdict", "written", "gone", "whole", "lost"]) {
      events.addEventListener(name, (event) => tell(name, event.data));
    }
  }

  if (!self.SharedWorkerGlobalScope) {
    self.runvetChanges = follow;
    return;
  }
  const ports = [];
  let state = "";
  self.addEventListener("connect", (event) => {
    const [port] = event.ports;
    ports.push(port);
    if (state) port.postMessage({ name: state });
  });
  follow("../api/v1/changes", (name, data) => {
    if (name === "open" || name === "error") state = name;
    for (const port of ports) port.postMessage({ name, data });
  });
})();
