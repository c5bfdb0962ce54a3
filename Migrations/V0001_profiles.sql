create table a(b);
