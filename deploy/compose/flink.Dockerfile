# Flink with the demo job, which is the one of the tests (test/jobs/java).
# The context is the repository's root.
FROM flink:1.20.3-scala_2.12-java17 AS flink

FROM eclipse-temurin:17-jdk-jammy AS build
COPY --from=flink /opt/flink/lib /flink/lib
COPY test/jobs/java/*.java /src/
RUN javac --release 11 -cp '/flink/lib/*' -d /classes /src/*.java && jar --create --file /jobs.jar -C /classes .

FROM flink
COPY --from=build /jobs.jar /opt/flink/usrlib/jobs.jar
