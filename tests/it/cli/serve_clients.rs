//! The clients of `runvet serve`: whom it refuses, how many and how slow ones it withstands, and
//! its end.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::json;

use crate::support::binary::{run, stderr};
use crate::support::corpus::corpus;
use crate::support::hostile::{commands, hostile_run};
use crate::support::service::{Answer, Service};

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let service = Service::demo();
    let host = service.address().to_owned();
    let ask = |headers: &str| service.raw(&format!("GET / HTTP/1.1\r\n{headers}\r\n\r\n"));
    assert_eq!(ask(&format!("Host: {host}")), "HTTP/1.1 200 OK");
    let port = host.rsplit_once(':').unwrap().1;
    for foreign in [&format!("evil.example:{port}"), "evil.example"] {
        assert!(
            ask(&format!("Host: {foreign}")).contains(" 421 "),
            "{foreign}"
        );
    }
    for own in ["localhost:9000", "[::1]:9000", "127.0.0.1"] {
        assert_eq!(ask(&format!("Host: {own}")), "HTTP/1.1 200 OK", "{own}");
    }
    for origin in ["http://evil.example", "http://localhost:9000", "null"] {
        let headers = format!("Host: {host}\r\nOrigin: {origin}");
        assert!(ask(&headers).contains(" 403 "), "{origin}");
    }
    assert_eq!(
        ask(&format!("Host: {host}\r\nOrigin: http://{host}")),
        "HTTP/1.1 200 OK"
    );
    assert!(ask("X: y").contains(" 400 "));
}

#[test]
fn allowed_host_is_answered() {
    let service = Service::start(&corpus(), &["demo", "--allowed-host", "runs.example"]);
    let ask = |host: &str| service.raw(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    assert_eq!(ask("runs.example"), "HTTP/1.1 200 OK");
    assert_eq!(ask("runs.example:8443"), "HTTP/1.1 200 OK");
    assert!(ask("other.example").contains(" 421 "));
    let refused = run(&["serve", "demo", "--allowed-host", "http://runs.example"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = stderr(&refused);
    assert!(said.contains("without a scheme and a port"), "{said}");
}

#[test]
fn changes_pass_proxies_that_buffer() {
    let service = Service::demo();
    let mut socket = service.socket();
    let host = service.address();
    write!(
        socket,
        "GET /api/v1/changes HTTP/1.1\r\nHost: {host}\r\n\r\n"
    )
    .unwrap();
    let lines: Vec<String> = BufReader::new(socket)
        .lines()
        .map_while(Result::ok)
        .take_while(|line| line != ": listening")
        .collect();
    let unbuffered = "x-accel-buffering: no".to_owned();
    assert!(lines.contains(&unbuffered), "{lines:?}");
}

#[test]
fn every_answer_has_the_policy() {
    let service = Service::demo();
    for path in ["", "api/v1/runs", "nowhere", "metrics"] {
        let answer = service
            .agent
            .get(format!("{}{path}", service.url))
            .call();
        let headers = answer.unwrap().headers().clone();
        let policy = headers["content-security-policy"]
            .to_str()
            .unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
    }
}

#[test]
fn reachable_address_needs_a_token() {
    let refused = run(&["serve", "demo", "--listen", "0.0.0.0:0"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("--token-file"),
        "{}",
        stderr(&refused)
    );
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("token");
    let args = |file: &Path| {
        let args = [
            "demo",
            "--listen",
            "0.0.0.0:0",
            "--token-file",
            file.to_str().unwrap(),
        ];
        args.map(str::to_owned)
    };
    fs::write(&file, "short\n").unwrap();
    let refused = run(&["serve", "--token-file", file.to_str().unwrap()]);
    assert!(
        stderr(&refused).contains("16 to 4096"),
        "{}",
        stderr(&refused)
    );
    fs::write(&file, "0123456789abcdef\n").unwrap();
    let args = args(&file);
    let service = Service::start(&corpus(), &args.each_ref().map(|arg| &**arg));
    assert_eq!(service.get("api/v1/runs").problem().0, 401);
    assert_eq!(service.get("healthz").status, 200);
    let asked = service
        .agent
        .get(format!("{}api/v1/runs", service.url));
    let asked = asked.header("authorization", "Bearer 0123456789abcdef");
    assert_eq!(Answer::of(asked.call().unwrap()).status, 200);
}

#[test]
fn form_with_the_token_lets_a_browser_in() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("token");
    fs::write(&file, "0123456789abcdef\n").unwrap();
    let service = Service::start(&corpus(), &["demo", "--token-file", file.to_str().unwrap()]);
    let browser = service
        .agent
        .get(&service.url)
        .header("accept", "text/html");
    let form = Answer::of(browser.call().unwrap());
    assert_eq!(
        (form.status, &*form.kind),
        (401, "text/html; charset=utf-8")
    );
    assert!(!form.text.contains("ep_"), "{}", form.text);
    assert_eq!(service.get("").problem().0, 401);
    let give = |body: &str| {
        let post = service.agent.post(&service.url);
        // Proxies may pass on another `Host` than that of the page.
        let post = post.header("origin", "https://runs.example");
        let post = post.config().max_redirects(0).build();
        post.send(body).unwrap()
    };
    for wrong in ["token=0123456789abcdeX", "code=0123456789abcdef", ""] {
        let answer = give(wrong);
        assert_eq!(answer.status(), 401, "{wrong}");
        assert!(
            !answer
                .headers()
                .contains_key("set-cookie")
        );
    }
    let answer = give("token=0123456789abcdef");
    assert_eq!(answer.status(), 303);
    assert_eq!(answer.headers()["location"], "./");
    let cookie = answer.headers()["set-cookie"]
        .to_str()
        .unwrap()
        .to_owned();
    let (cookie, with) = cookie.split_once(';').unwrap();
    assert_eq!(with, " HttpOnly; SameSite=Lax");
    let ask = |cookie: &str, headers: &[(&str, &str)]| {
        let mut asked = service
            .agent
            .get(format!("{}api/v1/rules", service.url));
        asked = asked.header("cookie", cookie);
        for (name, value) in headers {
            asked = asked.header(*name, *value);
        }
        Answer::of(asked.call().unwrap()).status
    };
    assert_eq!(ask(cookie, &[]), 200);
    assert_eq!(ask(&format!("theme=dark; {cookie}"), &[]), 200);
    assert_eq!(ask(&format!("{cookie}0"), &[]), 401);
    assert_eq!(ask(cookie, &[("origin", "https://evil.example")]), 403);
    assert_eq!(ask(cookie, &[("host", "evil.example")]), 421);
    // Standard error is no terminal: nothing on it lets anybody in.
    assert_eq!(service.end(), (Some(0), String::new()));
}

#[test]
fn two_hundred_clients_are_answered_at_once() {
    let service = Service::demo();
    let sockets: Vec<TcpStream> = (0..200)
        .map(|_| service.socket())
        .collect();
    let request = format!(
        "GET /api/v1/runs HTTP/1.1\r\nHost: {}\r\n\r\n",
        service.address()
    );
    for mut socket in &sockets {
        socket
            .write_all(request.as_bytes())
            .unwrap();
    }
    for socket in &sockets {
        let mut line = String::new();
        BufReader::new(socket)
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "HTTP/1.1 200 OK\r\n");
    }
}

/// The first line of the answer to a request, and whether the connection is closed after it; `None`
/// where there is no connection any more.
fn asked(mut socket: &TcpStream, host: &str) -> Option<(String, bool)> {
    write!(socket, "GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n").ok()?;
    let mut head = Vec::new();
    let mut answer = BufReader::new(socket);
    loop {
        let mut line = String::new();
        if answer.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        head.push(line.to_lowercase());
    }
    if !head[0].contains(" 200 ") {
        return Some((
            head[0].clone(),
            head.contains(&"connection: close\r\n".to_owned()),
        ));
    }
    let mut body = String::new();
    answer.read_line(&mut body).ok()?;
    Some((
        head[0].clone(),
        head.contains(&"connection: close\r\n".to_owned()),
    ))
}

#[test]
fn refused_request_ends_its_connection() {
    let service = Service::demo();
    let (line, is_closed) = asked(&service.socket(), "evil.example").unwrap();
    assert!(line.contains(" 421 ") && is_closed, "{line}");
    let (line, is_closed) = asked(&service.socket(), service.address()).unwrap();
    assert!(line.contains(" 200 ") && !is_closed, "{line}");
}

#[test]
fn idle_connections_of_an_address_make_room() {
    let service = Service::demo();
    let silent = service.socket();
    let asking = |_| {
        let socket = service.socket();
        let (line, _) = asked(&socket, service.address()).unwrap();
        assert!(line.contains(" 200 "), "{line}");
        socket
    };
    let idle: Vec<TcpStream> = (0..250).map(asking).collect();
    // The one that never asked goes first, then the one that is idle the longest.
    let more: Vec<TcpStream> = (0..16).map(asking).collect();
    assert_eq!(asked(&silent, service.address()), None);
    assert_eq!(asked(&idle[0], service.address()), None);
    assert!(asked(&idle[200], service.address()).is_some());
    drop(more);
}

#[test]
fn connection_is_closed_after_many_requests() {
    let service = Service::demo();
    let socket = service.socket();
    for _ in 1..1_000 {
        assert!(
            !asked(&socket, service.address())
                .unwrap()
                .1
        );
    }
    assert!(
        asked(&socket, service.address())
            .unwrap()
            .1
    );
    assert_eq!(asked(&socket, service.address()), None);
}

#[test]
fn slow_clients_keep_nobody_waiting() {
    let service = Service::demo();
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut socket = service.socket();
            socket
                .write_all(b"POST /api/v1/check HTTP/1.1\r\nHost: 127")
                .unwrap();
            socket
        })
        .collect();
    assert_eq!(service.get("api/v1/runs").status, 200);
    assert_eq!(
        service
            .check(r#"{"episode_id":"e","records":{}}"#)
            .status,
        200
    );
    drop(slow);
}

#[test]
fn body_without_end_is_refused_in_little_memory() {
    let service = Service::demo();
    let before = service.memory_kib();
    let mut socket = service.socket();
    write!(
        socket,
        "POST /api/v1/check HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        service.address()
    )
    .unwrap();
    let chunk = [b"10000\r\n", &*vec![b' '; 0x10000], b"\r\n"].concat();
    // The service closes the connection after the limit of 8 MiB.
    let sent = (0..10_000)
        .take_while(|_| socket.write_all(&chunk).is_ok())
        .count();
    assert!(sent < 10_000, "{sent}");
    let mut answer = String::new();
    let _ = socket.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.contains(" 413 "), "{answer}");
    let grown = service.memory_kib() - before;
    assert!(grown < 40 << 10, "{grown} KiB");
    let large = format!("{{\"episode_id\":\"{}\"", "x".repeat(9 << 20));
    let mut socket = service.socket();
    let head = format!(
        "POST /api/v1/check HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        service.address(),
        large.len()
    );
    socket
        .write_all(head.as_bytes())
        .unwrap();
    let mut line = String::new();
    BufReader::new(&socket)
        .read_line(&mut line)
        .unwrap();
    assert!(line.contains(" 413 "), "{line}");
    assert_eq!(service.get("healthz").status, 200);
}

#[test]
fn hostile_texts_are_escaped_in_every_answer() {
    let (temp, _) = hostile_run();
    let service = Service::start(temp.path(), &[]);
    service.wait_for(1);
    let item = service.get("api/v1/runs").json()["items"][0].clone();
    let dir = item["dir"].as_str().unwrap().bytes();
    let key = dir
        .map(|byte| format!("%{byte:02X}"))
        .collect::<Vec<_>>();
    let key = key.concat();
    for path in [
        "api/v1/runs".to_owned(),
        format!("api/v1/runs/{key}"),
        format!("api/v1/runs/{key}/events"),
        format!("api/v1/runs/{key}x"),
        "api/v1/runs?%1B=%1B".to_owned(),
        "api/v1/statistics".to_owned(),
        "metrics".to_owned(),
    ] {
        let answer = service.get(&path);
        let is_hostile = |c: &char| *c != '\n' && runvet::printable::is_hostile(*c);
        assert_eq!(answer.text.chars().find(is_hostile), None, "{path}");
        assert!(commands(&answer.text).is_empty(), "{path}");
    }
}

#[test]
fn service_ends_cleanly_when_terminated() {
    let service = Service::demo();
    let changes = service.changes();
    let idle = service.socket();
    assert_eq!(service.end(), (Some(0), String::new()));
    drop((changes, idle));
}

#[test]
fn large_bodies_that_never_come_keep_no_small_check_waiting() {
    let service = Service::demo();
    let head = format!(
        "POST /api/v1/check HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{{",
        service.address(),
        8 << 20
    );
    let slow: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut socket = service.socket();
            socket
                .write_all(head.as_bytes())
                .unwrap();
            socket
        })
        .collect();
    // All memory for large bodies is taken now.
    let answer = service.check(r#"{"episode_id":"e","records":{}}"#);
    assert_eq!(answer.status, 200, "{}", answer.text);
    drop(slow);
}

#[test]
fn large_bodies_are_judged_in_turns() {
    let service = Service::demo();
    // 2.7 MB of empty objects take ten times as much while they are judged.
    let state = format!("[{}1]", "{},".repeat(900_000));
    let body = json!({"episode_id": "e", "records": {"state.json": state}}).to_string();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| service.check(&body));
        }
    });
    let peak = service.memory_kib();
    assert!(peak < 300 << 10, "{peak} KiB");
    assert_eq!(service.get("healthz").status, 200);
}

#[test]
fn memory_is_flat_while_records_are_checked() {
    let service = Service::demo();
    let read = |name| {
        fs::read_to_string(
            corpus()
                .join("demo/episodes/ep_01_answer")
                .join(name),
        )
    };
    let names = ["state.json", "summary.json", "events.jsonl"];
    let post = |number: u32| {
        let texts = names.map(|name| (name.to_owned(), json!(read(name).unwrap())));
        let records: serde_json::Map<_, _> = texts.into_iter().collect();
        let body = json!({"episode_id": format!("ep_{number}"), "records": records});
        assert_eq!(service.check(&body.to_string()).status, 200);
    };
    (0..100).for_each(post);
    let before = service.memory_kib();
    (100..1_000).for_each(post);
    let grown = service.memory_kib() - before;
    assert!(grown < 4 << 10, "{grown} KiB");
}
